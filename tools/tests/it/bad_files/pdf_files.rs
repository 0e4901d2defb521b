//! PDF files as they should be, and as they should not.

use serde_json::{Value, json};
use toolwright::contract::Tool;
use toolwright_tools::files::read::Read;

use super::pdf::{HELVETICA, Pdf, bomb, deflated, with_contents, with_pages};
use super::{Says, call, check};
use crate::session::Session;

/// A session, where poppler's programs are here to read what it is asked to.
fn reader() -> Option<Session> {
    let is_there = std::process::Command::new("pdftotext").arg("-v").output().is_ok();
    assert!(is_there || std::env::var_os("CI").is_none(), "there is no `pdftotext`: install poppler-utils");
    if !is_there {
        eprintln!("skipped: there is no `pdftotext`");
    }
    is_there.then(Session::new)
}

fn read(name: &str) -> Value {
    json!({"file_path": name})
}

fn pages(name: &str, pages: &str) -> Value {
    json!({"file_path": name, "pages": pages})
}

#[tokio::test]
async fn the_text_of_pages_is_shown_page_by_page() {
    let Some(session) = reader() else { return };
    session.put("a.pdf", with_pages(&["First page\nwith (two) lines", "Second"]));
    let shown = call(&session, "Read", read("a.pdf")).await;
    let expected = "<page number=\"1\">\nFirst page\nwith (two) lines\n</page>\n<page number=\"2\">\nSecond\n</page>\n\
                    (pages 1 to 2 of 2)";
    assert_eq!(shown.as_deref(), Ok(expected));
    let data = session.reply::<Read>(pages("a.pdf", "2")).await.expect("it can be read").data;
    assert_eq!(Read::render_result(&data), ["read 1 page"]);
    let size = session.bytes("a.pdf").len();
    assert_eq!(
        serde_json::to_value(&data).expect("data serialises"),
        json!({"type": "parts", "file": {"filePath": session.path("a.pdf"), "originalSize": size, "count": 1,
            "totalPages": 2, "pages": [{"page": 2, "text": "Second"}]}})
    );
}

#[tokio::test]
async fn many_pages_are_asked_for_in_ranges() {
    let Some(session) = reader() else { return };
    let texts: Vec<String> = (1..=30).map(|page| format!("This is page {page}")).collect();
    session.put("a.pdf", with_pages(&texts.iter().map(String::as_str).collect::<Vec<_>>()));
    check(
        &session,
        &[
            (
                "Read",
                read("a.pdf"),
                Says::Refused("has 30 pages, more than the 10 that are shown unasked: give `pages`"),
            ),
            ("Read", pages("a.pdf", "3-5"), Says::Shown("page 5\n</page>\n(pages 3 to 5 of 30)")),
            ("Read", pages("a.pdf", "30"), Says::Shown("This is page 30")),
            ("Read", pages("a.pdf", "29-40"), Says::Shown("(pages 29 to 30 of 30)")),
            ("Read", pages("a.pdf", "31"), Says::Refused("has no page 31: give `pages` within 1 to 30")),
            ("Read", pages("a.pdf", "1-30"), Says::Refused("ask for 20 pages at the most")),
            ("Read", pages("a.pdf", "0"), Says::Refused("counted from 1")),
            ("Read", pages("a.pdf", "x"), Says::Refused("such as `3` or `1-5`")),
            ("Read", pages("a.pdf", " "), Says::Refused("has 30 pages")),
            (
                "Read",
                json!({"file_path": "a.pdf", "offset": 1}),
                Says::Refused("a PDF file is read by pages"),
            ),
            ("Read", json!({"file_path": "a.pdf", "limit": 1}), Says::Refused("a PDF file is read by pages")),
            ("Read", pages("a.txt", "1"), Says::Refused("`pages` is for PDF files")),
            ("Edit", json!({"file_path": "a.pdf", "old_string": "x", "new_string": "y"}), Says::Refused("")),
        ],
    )
    .await;
}

#[tokio::test]
async fn what_does_not_fit_is_gone_on_with() {
    let Some(session) = reader() else { return };
    let long = "a line of about fifty letters that is long enough\n".repeat(2_400);
    session.put("a.pdf", with_pages(&[&long, &long, &long, "short"]));
    let shown = call(&session, "Read", read("a.pdf")).await.expect("it can be read");
    assert!(shown.ends_with("(more text does not fit: go on with `pages` `3-4`)\n(pages 1 to 2 of 4)"));
    session.put("b.pdf", with_pages(&[&long.repeat(4), "short"]));
    let shown = call(&session, "Read", read("b.pdf")).await.expect("it can be read");
    assert!(shown.contains("[more text on this page, which does not fit]") && shown.len() < 300_000);
    assert!(
        shown.ends_with("go on with `pages` `2-2`)\n(pages 1 to 1 of 2)"),
        "{}",
        &shown[shown.len() - 99..]
    );
}

#[tokio::test]
async fn a_page_without_text_says_how_to_see_it() {
    let Some(session) = reader() else { return };
    session.put("a.pdf", with_contents(&[b"0 0 100 100 re f".to_vec(), b"".to_vec()], HELVETICA, &[]));
    let shown = call(&session, "Read", read("a.pdf")).await.expect("it can be read");
    assert!(shown.contains("(no readable text on pages 1, 2: what is there may be a picture"), "{shown}");
    assert!(shown.contains("`pdftoppm -png -r 100 -f 1 -l 1 FILE NAME`"), "{shown}");
}

/// A page as a browser prints it, where one is here.
fn printed(html: &str, session: &Session) -> bool {
    session.put("page.html", html);
    let mut browser = std::process::Command::new("chromium");
    browser.args(["--headless", "--no-sandbox", "--disable-gpu"]);
    browser.arg(format!("--print-to-pdf={}", session.path("a.pdf").display())).arg(session.path("page.html"));
    let ended = browser.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null()).status();
    let is_printed = ended.is_ok_and(|status| status.success()) && session.path("a.pdf").exists();
    if !is_printed {
        assert!(std::env::var_os("CI").is_none(), "there is no `chromium`: install it");
        eprintln!("skipped: there is no `chromium`");
    }
    is_printed
}

#[tokio::test]
async fn what_a_browser_prints_is_read_word_for_word() {
    let Some(session) = reader() else { return };
    let html = "<meta charset=utf-8><h1>A heading</h1><p>Some <b>bold</b> and <i>italic</i> words, an em dash — and “quotes”, \
        umlauts äöü, office affluent.<table><tr><td>left<td>right cell</table><pre>code with\nlines</pre>\
        <p style='page-break-before: always'>Ελληνικά and Русский";
    if !printed(html, &session) {
        return;
    }
    let shown = call(&session, "Read", read("a.pdf")).await.expect("it can be read");
    for line in [
        "A heading",
        "Some bold and italic words, an em dash — and “quotes”, umlauts äöü, office affluent.",
        "left right cell",
        "code with",
        "lines",
        "Ελληνικά and Русский",
    ] {
        assert!(shown.lines().any(|shown| shown.trim() == line), "{line}:\n{shown}");
    }
    assert!(shown.ends_with("(pages 1 to 2 of 2)"), "{shown}");
}

#[tokio::test]
async fn letters_that_a_font_does_not_explain_are_said_to_be_unreadable() {
    let Some(session) = reader() else { return };
    let font = "/F1 << /Type /Font /Subtype /Type0 /BaseFont /X /Encoding /Identity-H /DescendantFonts [] >>";
    session.put("a.pdf", with_contents(&[b"BT /F1 10 Tf <00010002> Tj ET".to_vec()], font, &[]));
    let shown = call(&session, "Read", read("a.pdf")).await.expect("it can be read");
    assert!(shown.contains("(no readable text on page 1:"), "{shown}");
}

#[tokio::test]
async fn what_is_no_pdf_file_or_a_broken_one_is_told_apart() {
    let Some(session) = reader() else { return };
    let whole = with_pages(&["Some text"]);
    session.put("text.pdf", "just text\n");
    session.put("empty.pdf", "");
    session.put("head.pdf", "%PDF-1.7\n");
    session.put("half.pdf", &whole[..whole.len() / 4]);
    session.put("zeros.pdf", [b"%PDF-1.7\n".as_slice(), &[0; 10_000]].concat());
    let table = whole.windows(5).position(|window| window == b"xref\n").expect("there is a table");
    let trailer = whole.windows(7).position(|window| window == b"trailer").expect("there is a trailer");
    session.put("no-table.pdf", [&whole[..table], &whole[trailer..]].concat());
    session.put("behind.pdf", [b"\n\n".as_slice(), &whole].concat());
    let mut none = Pdf::default();
    none.object("<< /Type /Catalog /Pages 2 0 R >>");
    none.object("<< /Type /Pages /Kids [] /Count 0 >>");
    session.put("none.pdf", none.bytes());
    check(
        &session,
        &[
            ("Read", read("text.pdf"), Says::Refused("is not a PDF file, whatever its name says")),
            ("Read", read("empty.pdf"), Says::Refused("is not a PDF file, whatever its name says")),
            ("Read", read("head.pdf"), Says::Refused("is broken, and its pages cannot be found")),
            ("Read", read("half.pdf"), Says::Refused("is broken, and its pages cannot be found")),
            ("Read", read("zeros.pdf"), Says::Refused("is broken, and its pages cannot be found")),
            ("Read", read("no-table.pdf"), Says::Shown("Some text")),
            ("Read", read("behind.pdf"), Says::Shown("Some text")),
            ("Read", read("none.pdf"), Says::Refused("is a PDF file without pages")),
            ("Read", read("missing.pdf"), Says::Refused("does not exist")),
        ],
    )
    .await;
}

#[tokio::test]
async fn an_encrypted_file_says_how_to_unlock_it() {
    let Some(session) = reader() else { return };
    let mut pdf = Pdf::default();
    pdf.object("<< /Type /Catalog /Pages 2 0 R >>");
    pdf.object("<< /Type /Pages /Kids [] /Count 0 >>");
    pdf.trailer =
        "/ID [<00> <00>] /Encrypt << /Filter /Standard /V 1 /R 2 /Length 40 /P -4 /O <00> /U <00> >>"
            .to_owned();
    session.put("locked.pdf", pdf.bytes());
    check(&session, &[("Read", read("locked.pdf"), Says::Refused("is encrypted: make a copy that is not"))])
        .await;
}

/// A file whose page tree is these objects, from number 2 on.
fn tree(objects: &[String]) -> Vec<u8> {
    let mut pdf = Pdf::default();
    pdf.object("<< /Type /Catalog /Pages 2 0 R >>");
    for object in objects {
        pdf.object(object);
    }
    pdf.bytes()
}

#[tokio::test]
async fn page_trees_that_go_in_circles_or_have_no_bottom_end() {
    let Some(session) = reader() else { return };
    let node = |kids: &str| format!("<< /Type /Pages /Count 1000000 /Kids [{kids}] >>");
    session.put("self.pdf", tree(&[node("2 0 R")]));
    session.put("two.pdf", tree(&[node("3 0 R"), node("2 0 R 2 0 R")]));
    session.put("page.pdf", tree(&[node("3 0 R 3 0 R 2 0 R"), "<< /Type /Page /Parent 2 0 R >>".to_owned()]));
    let deep: Vec<String> = (3..20_000).map(|number| node(&format!("{number} 0 R"))).collect();
    session.put("deep.pdf", tree(&deep));
    let wide: Vec<String> = (3..43).map(|number| node(&format!("{number} 0 R {number} 0 R"))).collect();
    session.put("wide.pdf", tree(&wide));
    session.put(
        "nested.pdf",
        tree(&[format!("<< /Type /Pages /Kids {}{} >>", "[".repeat(200_000), "]".repeat(200_000))]),
    );
    session.put("dictionaries.pdf", tree(&["<< /A ".repeat(200_000)]));
    for name in ["self", "two", "page", "deep", "wide", "nested", "dictionaries"] {
        let answer = call(&session, "Read", pages(&format!("{name}.pdf"), "1")).await;
        let said = answer.unwrap_or_else(|error| error);
        assert!(said.contains("pages") || said.contains("page 1"), "{name}: {said}");
    }
}

#[tokio::test]
async fn streams_that_unpack_to_very_much_do_not_fill_the_memory() {
    let Some(session) = reader() else { return };
    let packed = bomb(b' ', 4_000);
    let content = |filter: &str, bytes: &[u8]| {
        let mut pdf = Pdf::default();
        pdf.object("<< /Type /Catalog /Pages 2 0 R >>");
        pdf.object("<< /Type /Pages /Kids [3 0 R] /Count 1 >>");
        pdf.object("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R >>");
        pdf.stream(filter, bytes);
        pdf.bytes()
    };
    session.put("content.pdf", content("/Filter /FlateDecode", &packed));
    session.put("twice.pdf", content("/Filter [/FlateDecode /FlateDecode]", &deflated(&bomb(b' ', 500))));
    let zeros = bomb(0, 4_000);
    let mut objects = Pdf::default();
    objects.object("<< /Type /Catalog /Pages 9 0 R >>");
    objects.stream("/Type /ObjStm /N 1 /First 4 /Filter /FlateDecode", &zeros);
    session.put("objects.pdf", objects.bytes());
    let table = format!(
        "<< /Type /XRef /Size 9 /W [1 2 1] /Root 1 0 R /Filter /FlateDecode /Length {} >>",
        zeros.len()
    );
    let head = format!("%PDF-1.7\n1 0 obj\n{table}\nstream\n");
    let tail = b"\nendstream\nendobj\nstartxref\n9\n%%EOF";
    session.put("table.pdf", [head.as_bytes(), &zeros, tail].concat());
    for name in ["content", "twice", "objects", "table"] {
        let answer = call(&session, "Read", read(&format!("{name}.pdf"))).await;
        let said = answer.unwrap_or_else(|error| error);
        let is_told = ["unpacks to more than", "is broken", "without pages", "no readable text on page 1"]
            .iter()
            .any(|told| said.contains(told));
        assert!(is_told, "{name}: {said}");
    }
    let peak = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = peak
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    assert!(peak.is_none_or(|kilobytes| kilobytes < 3_000_000), "{peak:?} kB at the most");
}

#[tokio::test]
async fn forms_that_show_each_other_again_and_again_end() {
    let Some(session) = reader() else { return };
    let form = |name: usize, shows: &[usize]| {
        let uses: Vec<String> = shows.iter().map(|number| format!("/X{number} {number} 0 R")).collect();
        let content: Vec<String> =
            shows.iter().map(|number| format!("/X{number} Do /X{number} Do")).collect();
        let content = format!("BT /F1 9 Tf (f{name}) Tj ET {}", content.join(" "));
        let resources = format!("/Resources << /Font << {HELVETICA} >> /XObject << {} >> >>", uses.join(" "));
        let length = content.len();
        format!(
            "<< /Subtype /Form /BBox [0 0 612 792] {resources} /Length {length} >>\nstream\n{content}\nendstream"
        )
    };
    let page = |forms: Vec<String>| {
        let mut pdf = Pdf::default();
        pdf.object("<< /Type /Catalog /Pages 2 0 R >>");
        pdf.object("<< /Type /Pages /Kids [3 0 R] /Count 1 >>");
        pdf.object(
            "<< /Type /Page /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /XObject << /X5 5 0 R >> >> >>",
        );
        pdf.stream("", b"/X5 Do");
        for form in forms {
            pdf.object(form);
        }
        pdf.bytes()
    };
    session.put("self.pdf", page(vec![form(5, &[5])]));
    session.put("double.pdf", page((5..15).map(|number| form(number, &[number + 1])).collect()));
    for name in ["self.pdf", "double.pdf"] {
        let said = call(&session, "Read", read(name)).await.unwrap_or_else(|error| error);
        assert!(said.contains("f5"), "{name}: {said:.300}");
    }
}

#[tokio::test]
async fn bytes_that_were_changed_at_random_give_a_text_or_a_refusal() {
    let Some(session) = reader() else { return };
    let packed = {
        let content = deflated(b"BT /F1 12 Tf 72 720 Td (Packed text) Tj ET");
        let mut pdf = Pdf::default();
        pdf.object("<< /Type /Catalog /Pages 2 0 R >>");
        pdf.object("<< /Type /Pages /Kids [3 0 R] /Count 1 >>");
        pdf.object(format!("<< /Type /Page /Contents 4 0 R /Resources << /Font << {HELVETICA} >> >> >>"));
        pdf.stream("/Filter /FlateDecode", &content);
        pdf.bytes()
    };
    let plain = with_pages(&["Some (text) here\nand there", "More"]);
    let mut state = 0x2545_F491_4F6C_DD1D_u64;
    let mut chance = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % below as u64).expect("it is below a number of this type")
    };
    let pieces: [&[u8]; 8] = [b"<<", b">>", b"[", b"stream\n", b"endobj", b" 0 R", b"-1", b"99999999999"];
    let (mut shown, mut refused) = (0, 0);
    for turn in 0..300 {
        let mut bytes = if turn % 2 == 0 { plain.clone() } else { packed.clone() };
        for _change in 0..1 + chance(4) {
            let at = chance(bytes.len());
            match chance(4) {
                0 => bytes[at] = u8::try_from(chance(256)).expect("it is a byte"),
                1 => drop(bytes.drain(at..(at + 1 + chance(20)).min(bytes.len()))),
                2 => drop(bytes.splice(at..at, pieces[chance(pieces.len())].iter().copied())),
                _copied => {
                    let from = chance(bytes.len());
                    let part = bytes[from..(from + chance(60)).min(bytes.len())].to_vec();
                    drop(bytes.splice(at..at, part));
                }
            }
        }
        session.put("a.pdf", &bytes);
        match call(&session, "Read", pages("a.pdf", "1-3")).await {
            Ok(_text) => shown += 1,
            Err(error) => {
                let is_clear =
                    ["is broken", "has no page", "without pages", "is not a PDF", "encrypted", "locked"];
                assert!(is_clear.iter().any(|clear| error.contains(clear)), "turn {turn}: {error}");
                refused += 1;
            }
        }
    }
    println!("{shown} of {} changed files could be read", shown + refused);
    assert!(shown > 0 && refused > 0);
}
