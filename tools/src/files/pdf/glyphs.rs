//! Which character a font of single bytes means by a byte, and by the name of a glyph. From annex D of the PDF
//! specification (ISO 32000) and the Adobe Glyph List.

/// Names of glyphs, for characters that follow each other from a first one on; `_` where there is none.
const NAMES: &[(char, &str)] = &[
    (
        ' ',
        "space exclam quotedbl numbersign dollar percent ampersand quotesingle parenleft parenright asterisk plus comma \
         hyphen period slash zero one two three four five six seven eight nine colon semicolon less equal greater \
         question at",
    ),
    ('[', "bracketleft backslash bracketright asciicircum underscore grave"),
    ('{', "braceleft bar braceright asciitilde"),
    (
        '\u{A0}',
        "nbspace exclamdown cent sterling currency yen brokenbar section dieresis copyright ordfeminine guillemotleft \
         logicalnot sfthyphen registered macron degree plusminus twosuperior threesuperior acute mu paragraph \
         periodcentered cedilla onesuperior ordmasculine guillemotright onequarter onehalf threequarters questiondown \
         Agrave Aacute Acircumflex Atilde Adieresis Aring AE Ccedilla Egrave Eacute Ecircumflex Edieresis Igrave Iacute \
         Icircumflex Idieresis Eth Ntilde Ograve Oacute Ocircumflex Otilde Odieresis multiply Oslash Ugrave Uacute \
         Ucircumflex Udieresis Yacute Thorn germandbls agrave aacute acircumflex atilde adieresis aring ae ccedilla \
         egrave eacute ecircumflex edieresis igrave iacute icircumflex idieresis eth ntilde ograve oacute ocircumflex \
         otilde odieresis divide oslash ugrave uacute ucircumflex udieresis yacute thorn ydieresis Amacron amacron Abreve \
         abreve Aogonek aogonek Cacute cacute Ccircumflex ccircumflex Cdotaccent cdotaccent Ccaron ccaron Dcaron dcaron \
         Dcroat dcroat Emacron emacron Ebreve ebreve Edotaccent edotaccent Eogonek eogonek Ecaron ecaron Gcircumflex \
         gcircumflex Gbreve gbreve Gdotaccent gdotaccent Gcommaaccent gcommaaccent Hcircumflex hcircumflex Hbar hbar \
         Itilde itilde Imacron imacron Ibreve ibreve Iogonek iogonek Idotaccent dotlessi IJ ij Jcircumflex jcircumflex \
         Kcommaaccent kcommaaccent kgreenlandic Lacute lacute Lcommaaccent lcommaaccent Lcaron lcaron Ldot ldot Lslash \
         lslash Nacute nacute Ncommaaccent ncommaaccent Ncaron ncaron napostrophe Eng eng Omacron omacron Obreve obreve \
         Ohungarumlaut ohungarumlaut OE oe Racute racute Rcommaaccent rcommaaccent Rcaron rcaron Sacute sacute \
         Scircumflex scircumflex Scedilla scedilla Scaron scaron Tcommaaccent tcommaaccent Tcaron tcaron Tbar tbar \
         Utilde utilde Umacron umacron Ubreve ubreve Uring uring Uhungarumlaut uhungarumlaut Uogonek uogonek Wcircumflex \
         wcircumflex Ycircumflex ycircumflex Ydieresis Zacute zacute Zdotaccent zdotaccent Zcaron zcaron longs",
    ),
    ('ƒ', "florin"),
    ('ˆ', "circumflex caron"),
    ('˘', "breve dotaccent ring ogonek tilde hungarumlaut"),
    (
        'Α',
        "Alpha Beta Gamma Delta Epsilon Zeta Eta Theta Iota Kappa Lambda Mu Nu Xi Omicron Pi Rho _ Sigma Tau Upsilon Phi \
         Chi Psi Omega",
    ),
    (
        'α',
        "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda _ nu xi omicron pi rho sigma1 sigma tau upsilon \
         phi chi psi omega",
    ),
    ('–', "endash emdash"),
    (
        '‘',
        "quoteleft quoteright quotesinglbase _ quotedblleft quotedblright quotedblbase _ dagger daggerdbl bullet",
    ),
    ('…', "ellipsis"),
    ('‰', "perthousand"),
    ('‹', "guilsinglleft guilsinglright"),
    ('⁄', "fraction"),
    ('€', "Euro"),
    ('™', "trademark"),
    ('←', "arrowleft arrowup arrowright arrowdown arrowboth"),
    ('⇒', "arrowdblright"),
    ('∀', "universal _ partialdiff existential _ emptyset _ gradient element"),
    ('∏', "product _ summation minus"),
    ('√', "radical _ _ proportional infinity"),
    ('∧', "logicaland logicalor intersection union integral"),
    ('≈', "approxequal"),
    ('≠', "notequal equivalence"),
    ('≤', "lessequal greaterequal"),
    ('⊂', "propersubset propersuperset"),
    ('◊', "lozenge"),
    ('ﬀ', "ff fi fl ffi ffl"),
];

/// The encodings that a font may be said to have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Known {
    /// What Windows calls code page 1252.
    Windows,
    /// What the old Macintosh had.
    Macintosh,
    /// What Adobe's own fonts have.
    Standard,
}

/// Bytes 0x80 to 0x9F of [`Known::Windows`]; the rest is Latin-1.
const WINDOWS: &str = "€•‚ƒ„…†‡ˆ‰Š‹Œ•Ž••‘’“”•–—˜™š›œ•žŸ";
/// Bytes 0x80 to 0xFF of [`Known::Macintosh`].
const MACINTOSH: &str = "ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûü†°¢£§•¶ß®©™´¨≠ÆØ∞±≤≥¥µ∂∑∏π∫ªºΩæø¿¡¬√ƒ≈∆«»…\u{A0}ÀÃÕŒœ–—“”‘’÷◊ÿŸ⁄€‹›ﬁﬂ‡·‚„\
                         ‰ÂÊÁËÈÍÎÏÌÓÔ\u{F8FF}ÒÚÛÙıˆ˜¯˘˙˚¸˝˛ˇ";
/// Bytes 0xA0 to 0xFF of [`Known::Standard`]; a space where there is none.
const STANDARD: &str =
    " ¡¢£⁄¥ƒ§¤'“«‹›ﬁﬂ –†‡· ¶•‚„”»…‰ ¿ `´ˆ˜¯˘˙¨ ˚¸ ˝˛ˇ—                Æ ª    ŁØŒº     æ   ı  łøœß    ";

impl Known {
    /// The encoding of this name.
    pub(super) fn named(name: &[u8]) -> Option<Known> {
        match name {
            b"WinAnsiEncoding" => Some(Known::Windows),
            b"MacRomanEncoding" => Some(Known::Macintosh),
            b"StandardEncoding" => Some(Known::Standard),
            _other => None,
        }
    }

    /// What a byte means.
    pub(super) fn character(self, byte: u8) -> Option<char> {
        let of = |table: &str, first: u8| table.chars().nth(usize::from(byte - first));
        let found = match (self, byte) {
            (_any, 0..0x20 | 0x7F) => None,
            (Known::Standard, b'\'') => Some('’'),
            (Known::Standard, b'`') => Some('‘'),
            (_any, 0x20..0x7F) => Some(char::from(byte)),
            (Known::Windows, 0x80..0xA0) => of(WINDOWS, 0x80),
            (Known::Windows, _latin) => Some(char::from(byte)),
            (Known::Macintosh, _high) => of(MACINTOSH, 0x80),
            (Known::Standard, 0x80..0xA0) => None,
            (Known::Standard, _high) => of(STANDARD, 0xA0).filter(|c| *c != ' '),
        };
        found.filter(|c| *c != '\u{F8FF}')
    }
}

/// The character that a glyph of this name shows.
pub(super) fn character(name: &[u8]) -> Option<char> {
    let name = std::str::from_utf8(name).ok()?;
    // What follows a dot tells the form: `a.sc` is a small capital.
    let name = name.split_once('.').map_or(name, |(name, _form)| name);
    let mut letters = name.chars();
    if let (Some(letter), None) = (letters.next(), letters.next())
        && letter.is_ascii_alphabetic()
    {
        return Some(letter);
    }
    listed(name).or_else(|| by_number(name))
}

fn listed(name: &str) -> Option<char> {
    if name == "_" {
        return None;
    }
    NAMES.iter().find_map(|(first, names)| {
        let at = names.split(' ').position(|listed| listed == name)?;
        char::from_u32(u32::from(*first) + u32::try_from(at).ok()?)
    })
}

/// `uni20AC` and `u1F600`.
fn by_number(name: &str) -> Option<char> {
    let digits = match name.strip_prefix("uni") {
        Some(digits) => digits.get(..4)?,
        None => name.strip_prefix('u').filter(|digits| (4..=6).contains(&digits.len()))?,
    };
    char::from_u32(u32::from_str_radix(digits, 16).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_to_their_characters() {
        for (name, c) in [
            ("A", 'A'),
            ("a.sc", 'a'),
            ("zero", '0'),
            ("at", '@'),
            ("asciitilde", '~'),
            ("germandbls", 'ß'),
            ("ydieresis", 'ÿ'),
            ("Amacron", 'Ā'),
            ("dotlessi", 'ı'),
            ("Lslash", 'Ł'),
            ("Scaron", 'Š'),
            ("zcaron", 'ž'),
            ("longs", 'ſ'),
            ("Omega", 'Ω'),
            ("omega", 'ω'),
            ("mu", 'µ'),
            ("caron", 'ˇ'),
            ("hungarumlaut", '˝'),
            ("bullet", '•'),
            ("minus", '−'),
            ("infinity", '∞'),
            ("integral", '∫'),
            ("ffl", 'ﬄ'),
            ("uni20AC", '€'),
            ("u1F600", '😀'),
        ] {
            assert_eq!(character(name.as_bytes()), Some(c), "{name}");
        }
        for name in ["", "_", "no such glyph", "g12", "uniXYZW", "uD800", ".notdef"] {
            assert_eq!(character(name.as_bytes()), None, "{name}");
        }
    }

    #[test]
    fn tables_have_a_place_for_each_byte() {
        assert_eq!([WINDOWS, MACINTOSH, STANDARD].map(|table| table.chars().count()), [0x20, 0x80, 0x60]);
        for (known, byte, c) in [
            (Known::Windows, 0x80, '€'),
            (Known::Windows, 0x9F, 'Ÿ'),
            (Known::Windows, 0xFC, 'ü'),
            (Known::Macintosh, 0x80, 'Ä'),
            (Known::Macintosh, 0xDB, '€'),
            (Known::Macintosh, 0xDE, 'ﬁ'),
            (Known::Macintosh, 0xFF, 'ˇ'),
            (Known::Standard, 0x27, '’'),
            (Known::Standard, 0xAE, 'ﬁ'),
            (Known::Standard, 0xB1, '–'),
            (Known::Standard, 0xC8, '¨'),
            (Known::Standard, 0xCF, 'ˇ'),
            (Known::Standard, 0xD0, '—'),
            (Known::Standard, 0xE1, 'Æ'),
            (Known::Standard, 0xE8, 'Ł'),
            (Known::Standard, 0xF1, 'æ'),
            (Known::Standard, 0xFB, 'ß'),
        ] {
            assert_eq!(known.character(byte), Some(c), "{known:?} {byte:x}");
        }
        assert_eq!(Known::Standard.character(0xFF), None);
    }
}
