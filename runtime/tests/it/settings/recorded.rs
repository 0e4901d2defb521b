//! Settings that people wrote: each loads, with the diagnostics a person would expect.

use std::path::PathBuf;

use toolwright::settings::{ExtraSettings, MemoryFiles, Settings, SettingsFiles, Trust};

use super::super::shared::shared;

#[test]
fn every_recorded_file_loads_with_nothing_wrong_that_is_not_expected() {
    let Some(data) = shared("data") else { return };
    println!("{:<60} {:>5} {:>5} {:>7} {:>6}", "file", "rules", "hooks", "servers", "said");
    let mut count = 0;
    for folder in ["settings", "mcp-configs"] {
        let mut paths: Vec<PathBuf> = std::fs::read_dir(data.join(folder))
            .expect("it can be read")
            .map(|entry| entry.expect("it can be read").path())
            .collect();
        paths.sort();
        for path in paths {
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            let files = MemoryFiles::default();
            files.put("/data/settings.json", std::fs::read(&path).expect("it can be read"));
            let places = SettingsFiles {
                extra: vec![ExtraSettings::File("/data/settings.json".into())],
                ..SettingsFiles::none("/w")
            };
            let settings = Settings::load(&places, &files, Trust::Untrusted);
            let events: usize = settings.hooks.iter().map(|hooks| hooks.hooks.config.handlers().len()).sum();
            println!(
                "{name:<60.60} {:>5} {events:>5} {:>7} {:>6}",
                settings.rules.len(),
                settings.mcp_servers.len(),
                settings.diagnostics.len(),
            );
            settings.diagnostics.iter().for_each(|diagnostic| println!("    {diagnostic}"));
            assert!(!settings.is_closed() && !settings.has_errors(), "{name}");
            assert!(settings.rules.len() + events + settings.mcp_servers.len() > 0, "{name} says something");
            count += 1;
        }
    }
    assert!(count >= 14, "{count} files");
}
