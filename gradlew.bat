@echo off
rem Runs the Gradle of the version that gradle\wrapper\gradle-wrapper.properties names: an installed one, or the
rem official distribution, downloaded once and checked. (gradlew, for Linux and macOS, can also assemble it.)
setlocal
for /f "usebackq tokens=1,* delims==" %%a in ("%~dp0gradle\wrapper\gradle-wrapper.properties") do (
	if "%%a"=="distributionUrl" set "URL=%%b"
	if "%%a"=="distributionSha256Sum" set "SUM=%%b"
)
set "URL=%URL:\:=:%"
set "VERSION=%URL:*/gradle-=%"
set "VERSION=%VERSION:-bin.zip=%"
set "USERHOME=%GRADLE_USER_HOME%"
if "%USERHOME%"=="" set "USERHOME=%USERPROFILE%\.gradle"

rem 1. On the PATH. The jar's name tells its version without starting it.
for %%g in (gradle.bat) do if not "%%~$PATH:g"=="" (
	if exist "%%~dp$PATH:g..\lib\gradle-launcher-%VERSION%.jar" set "GRADLE=%%~$PATH:g"& goto run
)

rem 2. Downloaded by an IDE or the ordinary wrapper; the .ok file says that it was finished.
for /d %%d in ("%USERHOME%\wrapper\dists\gradle-%VERSION%-bin\*") do (
	if exist "%%d\gradle-%VERSION%-bin.zip.ok" set "GRADLE=%%d\gradle-%VERSION%\bin\gradle.bat"& goto run
)

rem 3. Downloaded by us, now or before. The move to the final name comes last, so what has that name is complete.
set "TARGET=%USERHOME%\bootstrap\gradle-%VERSION%-%SUM:~0,12%"
set "GRADLE=%TARGET%\bin\gradle.bat"
if exist "%GRADLE%" goto run
powershell -NoProfile -ExecutionPolicy Bypass -Command ^
	"$ErrorActionPreference = 'Stop'; $ProgressPreference = 'SilentlyContinue';" ^
	"[Net.ServicePointManager]::SecurityProtocol = 'Tls12'; $temp = $env:TARGET + '.' + $PID;" ^
	"try { mkdir $temp | Out-Null; [Console]::Error.WriteLine('gradlew: downloading Gradle ' + $env:VERSION);" ^
	"Invoke-WebRequest -UseBasicParsing $env:URL -OutFile $temp\d.zip;" ^
	"if ((Get-FileHash $temp\d.zip -Algorithm SHA256).Hash -ne $env:SUM) { throw 'refused: wrong SHA-256' };" ^
	"Expand-Archive $temp\d.zip $temp; [IO.Directory]::Move($temp + '\gradle-' + $env:VERSION, $env:TARGET)" ^
	"} catch { if (-not (Test-Path $env:GRADLE)) { [Console]::Error.WriteLine('gradlew: no Gradle from ' + $env:URL +" ^
	"' (' + $_ + '): install Gradle ' + $env:VERSION + ' and put it on the PATH'); exit 1 } }" ^
	"finally { Remove-Item -Recurse -Force -ErrorAction SilentlyContinue $temp }" || exit /b 1

:run
endlocal & "%GRADLE%" %*
