//! A browser without a window, that is asked what a page looks like to it.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::super::cli::{Folder, said, toolwright};

/// The names that the browser goes by.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// The browser, where there is one; else says that the test is skipped, which is a failure where everything is tested.
pub(super) fn browser() -> Option<PathBuf> {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = std::env::split_paths(&paths).collect();
    let found = NAMES.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    let found = found.into_iter().find(|program| program.is_file());
    if found.is_none() {
        assert!(std::env::var_os("CI").is_none(), "no Chromium on this machine: install `chromium`");
        eprintln!("skipped: no Chromium on this machine (the Debian package is `chromium`)");
    }
    found
}

/// A page that was opened: what of it is markup once its script has run.
pub(super) struct Opened {
    /// All of it, without the block of data.
    pub(super) dom: String,
}

/// One row of a call.
pub(super) struct Row<'a> {
    pub(super) call: &'a str,
    pub(super) tool: &'a str,
    /// All of its markup.
    pub(super) markup: &'a str,
}

/// Opens a page with this behind the `#`. Nothing where there is no browser.
pub(super) fn open(folder: &Folder, page: &Path, fragment: &str) -> Option<Opened> {
    let program = browser()?;
    let profile = folder.0.join("profile");
    let output = Command::new(program)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
        .arg(format!("--user-data-dir={}", profile.display()))
        .args(["--window-size=1400,900", "--timeout=20000", "--dump-dom"])
        .arg(format!("file://{}#{fragment}", page.display()))
        .stdin(Stdio::null())
        .output()
        .expect("the browser can be started");
    let text = String::from_utf8(output.stdout).expect("a browser prints text");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(text.contains("data-drawn=\"yes\""), "the script did not come to its end: {said}");
    let (before, after) = text.split_once("id=\"data\">").expect("the data stand in the page");
    let after = after.split_once("</script>").expect("the data end").1;
    let after = after.split_once("<script>").map_or(after, |(between, _script)| between);
    Some(Opened { dom: format!("{before}{after}") })
}

/// Runs a command that writes a page, and gives its path.
pub(super) fn written(folder: &Folder, arguments: &[&str]) -> PathBuf {
    let page = folder.0.join("report.html");
    let path = page.display().to_string();
    let all = [arguments, &["--report", "html", "-o", &path, "--force"]].concat();
    let output = toolwright(&all);
    assert!(output.status.code().is_some_and(|code| code < 2), "{all:?}: {}", said(&output));
    page
}

impl Opened {
    /// The rows of calls that are drawn, from the top.
    pub(super) fn rows(&self) -> Vec<Row<'_>> {
        let space = self.dom.split_once("id=\"space\"").expect("there is a board").1;
        let space = space.split_once("</main>").expect("the board ends").0;
        let space = space.split("<svg").next().unwrap_or_default();
        space.split("<div class=\"row ").skip(1).filter(|row| row.starts_with("call")).map(Row::new).collect()
    }

    /// The row of a call.
    pub(super) fn row(&self, call: &str) -> Row<'_> {
        self.rows().into_iter().find(|row| row.call == call).expect("the call has a row")
    }

    /// The markup of an element by its identifier, up to the next that has one.
    pub(super) fn part(&self, id: &str) -> &str {
        let from = self.dom.split_once(&format!("id=\"{id}\"")).unwrap_or_else(|| panic!("no `{id}`")).1;
        from.split(" id=\"").next().unwrap_or_default()
    }
}

impl<'a> Row<'a> {
    fn new(markup: &'a str) -> Row<'a> {
        let attribute = |name: &str| {
            let from = markup.split_once(&format!(" {name}=\"")).expect("rows carry what they are of").1;
            from.split('"').next().unwrap_or_default()
        };
        Row { call: attribute("data-call"), tool: attribute("data-tool"), markup }
    }

    /// The lanes of the row, one for each run.
    pub(super) fn lanes(&self) -> Vec<&'a str> {
        self.markup.split("class=\"lane\"").skip(1).collect()
    }

    /// The stretches of this kind in the row.
    pub(super) fn stretches(&self, activity: &str) -> usize {
        self.markup.matches(&format!("data-activity=\"{activity}\"")).count()
    }
}
