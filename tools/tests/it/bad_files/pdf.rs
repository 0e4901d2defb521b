//! PDF files, written object by object.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;

/// A file that is being written.
#[derive(Default)]
pub(crate) struct Pdf {
    objects: Vec<Vec<u8>>,
    /// What stands in the trailer besides its size and its root.
    pub(crate) trailer: String,
}

impl Pdf {
    /// Adds an object, whose number follows the last one's; the first is 1.
    pub(crate) fn object(&mut self, text: impl AsRef<[u8]>) -> usize {
        self.objects.push(text.as_ref().to_vec());
        self.objects.len()
    }

    /// Adds a stream with more in its dictionary.
    pub(crate) fn stream(&mut self, more: &str, bytes: &[u8]) -> usize {
        let mut object = format!("<< /Length {} {more} >>\nstream\n", bytes.len()).into_bytes();
        object.extend_from_slice(bytes);
        object.extend_from_slice(b"\nendstream");
        self.object(object)
    }

    /// The file. Its root is object 1.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut out = b"%PDF-1.7\n%\xE2\xE3\xCF\xD3\n".to_vec();
        let mut places = Vec::new();
        for (index, object) in self.objects.iter().enumerate() {
            places.push(out.len());
            out.extend_from_slice(format!("{} 0 obj\n", index + 1).as_bytes());
            out.extend_from_slice(object);
            out.extend_from_slice(b"\nendobj\n");
        }
        let (table, size) = (out.len(), self.objects.len() + 1);
        out.extend_from_slice(format!("xref\n0 {size}\n0000000000 65535 f \n").as_bytes());
        for place in places {
            out.extend_from_slice(format!("{place:010} 00000 n \n").as_bytes());
        }
        let trailer =
            format!("trailer\n<< /Size {size} /Root 1 0 R {} >>\nstartxref\n{table}\n%%EOF\n", self.trailer);
        out.extend_from_slice(trailer.as_bytes());
        out
    }
}

/// A file of pages in Helvetica: the contents of each are given as operators, and `fonts` is what is in the resources
/// under `/Font`. What `more` adds are objects from number 3 on.
pub(crate) fn with_contents(contents: &[Vec<u8>], fonts: &str, more: &[Vec<u8>]) -> Vec<u8> {
    let mut pdf = Pdf::default();
    pdf.object("<< /Type /Catalog /Pages 2 0 R >>");
    let first = 3 + more.len();
    let kids: Vec<String> = (0..contents.len()).map(|page| format!("{} 0 R", first + 2 * page)).collect();
    pdf.object(format!("<< /Type /Pages /Kids [{}] /Count {} >>", kids.join(" "), contents.len()));
    for object in more {
        pdf.object(object);
    }
    for (page, content) in contents.iter().enumerate() {
        pdf.object(format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 -200000 612 792] /Contents {} 0 R /Resources << /Font << {fonts} >> >> >>",
            first + 2 * page + 1
        ));
        pdf.stream("", content);
    }
    pdf.bytes()
}

/// What is said of the font that readers have.
pub(crate) const HELVETICA: &str = "/F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>";

/// A file with these texts, a page each; their lines stand below each other.
pub(crate) fn with_pages(texts: &[&str]) -> Vec<u8> {
    let content = |text: &&str| {
        let lines: Vec<String> = text
            .lines()
            .map(|line| {
                format!("({}) Tj T*", line.replace('\\', "\\\\").replace('(', "\\(").replace(')', "\\)"))
            })
            .collect();
        format!("BT /F1 12 Tf 14 TL 72 720 Td {} ET", lines.join(" ")).into_bytes()
    };
    with_contents(&texts.iter().map(content).collect::<Vec<_>>(), HELVETICA, &[])
}

/// Bytes as `/FlateDecode` has them.
pub(crate) fn deflated(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).expect("memory takes bytes");
    encoder.finish().expect("memory takes bytes")
}

/// So many megabytes of one byte as `/FlateDecode` has them: a megabyte is packed, and what that gives is repeated.
pub(crate) fn bomb(byte: u8, megabytes: usize) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    let mut lengths = [0; 2];
    for length in &mut lengths {
        encoder.write_all(&vec![byte; 1024 * 1024]).expect("memory takes bytes");
        // From here on nothing refers to what was packed before but by how far back it is.
        encoder.flush().expect("memory takes bytes");
        *length = encoder.get_ref().len();
    }
    let packed = encoder.get_ref();
    [&packed[..lengths[0]], &packed[lengths[0]..lengths[1]].repeat(megabytes)].concat()
}
