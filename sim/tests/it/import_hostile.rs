//! Recordings that are damaged or made to do harm: read as far as they can be and told, or refused.

use std::path::Path;

use toolwright_sim::import::{
    Format, ImportError, Imported, RepairKind, read_bytes, read_bytes_as, read_path,
};
use toolwright_sim::transcript::to_text;

use super::import_fixtures::{Fixture, fixtures};

fn bytes(path: &Path) -> Vec<u8> {
    std::fs::read(path).expect("a fixture can be read")
}

/// What must hold of whatever was imported.
fn sound(imported: &Imported) {
    let text = to_text(&imported.transcript);
    let again = read_bytes("copy", text.as_bytes()).expect("what was written can be read");
    assert_eq!(again.repairs, []);
    assert_eq!(again.transcript, imported.transcript);
}

#[test]
fn a_file_cut_anywhere_is_refused_or_the_loss_is_told() {
    for Fixture { path, name, format } in fixtures() {
        let whole = bytes(&path);
        let full = read_bytes(&name, &whole).expect("a fixture can be read");
        for cut in 0..whole.len() {
            let Ok(imported) = read_bytes_as(&name, &whole[..cut], Some(format)) else { continue };
            sound(&imported);
            // Lines that end where they should may be all there is: nobody can tell that more should come.
            let is_between =
                whole[cut] == b'\n' || whole[..cut].ends_with(b"\n") || whole[..cut].ends_with(b"}");
            let is_told = !imported.repairs.is_empty() || is_between;
            assert!(is_told || imported.transcript == full.transcript, "{name} cut at {cut}");
        }
    }
}

#[test]
fn a_byte_order_mark_and_lines_that_end_in_two_bytes_change_nothing() {
    for Fixture { path, name, format } in fixtures() {
        let whole = String::from_utf8(bytes(&path)).expect("fixtures are text");
        let full = read_bytes(&name, whole.as_bytes()).expect("a fixture can be read");
        let windows = format!("\u{feff}{}", whole.replace('\n', "\r\n"));
        let imported = read_bytes(&name, windows.as_bytes()).expect("it can be read");
        assert_eq!(imported.format, format, "{name}");
        let calls = |imported: &Imported| -> Vec<(String, String)> {
            imported.transcript.calls().map(|call| (call.id.clone(), call.name.clone())).collect()
        };
        assert_eq!(calls(&imported), calls(&full), "{name}");
        assert_eq!(imported.transcript.header.counts, full.transcript.header.counts, "{name}");
    }
}

/// Numbers below a limit, the same on every run (a linear congruential generator).
fn chance() -> impl FnMut(usize) -> usize {
    let mut state = 99_u64;
    move |limit| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % limit
    }
}

#[test]
fn damage_of_any_kind_is_survived_by_every_reader() {
    let mut chance = chance();
    let odd: [&[u8]; 12] = [
        b"{",
        b"}",
        b"[",
        b"]",
        b"\"",
        b",",
        b"null",
        b"1e999",
        b"\\ud800",
        b"\xff",
        b"\n",
        b"123456789012345678901234567890",
    ];
    for Fixture { path, name, .. } in fixtures() {
        let whole = bytes(&path);
        for round in 0..150 {
            let mut damaged = whole.clone();
            for _ in 0..=chance(3) {
                let from = chance(damaged.len());
                let to = (from + chance(40)).min(damaged.len());
                match chance(3) {
                    0 => drop(damaged.drain(from..to)),
                    1 => drop(damaged.splice(from..from, odd[chance(odd.len())].iter().copied())),
                    _ => damaged.extend_from_within(from..to),
                }
            }
            let format = Format::ALL[round % Format::ALL.len()];
            for given in [None, Some(format)] {
                if let Ok(imported) = read_bytes_as(&name, &damaged, given) {
                    sound(&imported);
                }
            }
        }
    }
}

#[test]
fn every_reader_refuses_what_it_cannot_read_with_a_message() {
    let deep = "[".repeat(100_000);
    let deep_object = "{\"messages\":".repeat(20_000);
    for text in
        ["hello", "{\"a\":", "[1,2", &deep, &deep_object, "\u{feff}{", "interactions:\n- {", "data: {"]
    {
        for format in Format::ALL.iter().copied() {
            match read_bytes_as("file", text.as_bytes(), Some(format)) {
                Ok(imported) => sound(&imported),
                Err(error) => assert!(error.to_string().contains("`file`"), "{error}"),
            }
        }
    }
}

#[test]
fn deep_values_and_huge_numbers_in_a_call_are_kept_as_text_and_told() {
    for value in [format!("{}{}", "[".repeat(5_000), "]".repeat(5_000)), "1e999".to_owned()] {
        let input = format!("{{\"x\":{value}}}");
        let messages = format!(
            r#"{{"messages":[{{"role":"assistant","content":[{{"type":"tool_use","id":"a","name":"X","input":{input}}}]}}]}}"#
        );
        let gemini = format!(
            r#"{{"projectHash":"h","messages":[{{"type":"gemini","toolCalls":[{{"id":"a","name":"X","args":{input}}}]}}]}}"#
        );
        for text in [messages, gemini] {
            let imported = read_bytes("file", text.as_bytes()).expect("it can be read");
            assert_eq!(imported.transcript.calls().count(), 1);
            assert_eq!(imported.repaired(RepairKind::KeptAsText), 1);
            sound(&imported);
        }
    }
}

#[test]
fn an_alias_in_a_cassette_does_not_grow_without_bound() {
    let mut bomb = "interactions:\n- a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..12 {
        let before = format!("*a{}", level - 1);
        let list = [before.as_str(); 10].join(", ");
        bomb.push_str(&format!("  a{level}: &a{level} [{list}]\n"));
    }
    assert!(matches!(read_bytes("file", bomb.as_bytes()), Err(ImportError::Unreadable { .. })));
}

#[test]
fn a_file_or_a_line_over_its_limit_is_refused_by_name() {
    let line = toolwright_sim::import::LINE_BYTES_MAX + 1;
    let mut long = b"{}\n{\"a\":\"".to_vec();
    long.resize(line + 3, b'x');
    let error = read_bytes("file", &long).expect_err("the second line is too long");
    assert!(matches!(error, ImportError::LineTooLong { line: 2, .. }), "{error}");
    // A file with a hole takes no room on disk.
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("large-{}", std::process::id()));
    let file = std::fs::File::create(&path).expect("the folder can be written");
    file.set_len(toolwright_sim::import::FILE_BYTES_MAX + 1).expect("a file may have a hole");
    let error = read_path(&path).expect_err("it is too large");
    std::fs::remove_file(&path).expect("the file can be removed");
    assert!(matches!(error, ImportError::TooLarge { .. }), "{error}");
}
