package io.leaderstarter.sample.demo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Databases of nodes that are run one by one, of which none is a child of ours.
 */
final class DatabaseProcesses {

	private DatabaseProcesses() {
	}

	/** Those that run and keep their file in a folder. */
	static List<ProcessHandle> below(Path folder) {
		return ProcessHandle.allProcesses()
			.filter((process) -> process.info().command().orElse("").endsWith("java"))
			.filter((process) -> commandLine(process).endsWith(folder.resolve("sample") + "\0"))
			.toList();
	}

	private static String commandLine(ProcessHandle process) {
		try {
			return Files.readString(Path.of("/proc", Long.toString(process.pid()), "cmdline"));
		}
		catch (IOException ex) {
			return process.info().commandLine().orElse("") + "\0";
		}
	}

}
