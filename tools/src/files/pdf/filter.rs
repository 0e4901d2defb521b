//! Unpacking what streams hold, within a limit.

use std::io::Read;

use flate2::read::{DeflateDecoder, ZlibDecoder};

use super::object::{Dictionary, Object, hexadecimal};

/// How many filters may lie one upon another.
const FILTERS_MAX: usize = 8;

/// Why a stream was not unpacked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NotUnpacked {
    /// It has more bytes than are wanted.
    TooLarge,
    /// It is packed in a way that pictures are.
    Unknown,
}

/// The bytes of a stream as they are once all its filters are undone, of which there may be so many. What is broken is
/// unpacked as far as it goes. `resolved` follows references.
pub(super) fn unpack(
    packed: &[u8],
    of: &Dictionary,
    bytes_max: usize,
    resolved: impl Fn(&Object) -> Object,
) -> Result<Vec<u8>, NotUnpacked> {
    let list = |names: [&[u8]; 2]| match names.iter().find_map(|name| of.get(*name)).map(&resolved) {
        Some(Object::List(things)) => things.iter().map(&resolved).collect(),
        Some(thing) => vec![thing],
        None => Vec::new(),
    };
    let (filters, parameters) = (list([b"Filter", b"F"]), list([b"DecodeParms", b"DP"]));
    if filters.len() > FILTERS_MAX {
        return Err(NotUnpacked::Unknown);
    }
    let mut bytes = packed.to_vec();
    for (at, filter) in filters.iter().enumerate() {
        let parameters = parameters.get(at).and_then(Object::dictionary);
        let unpacked = match filter.name().unwrap_or_default() {
            b"FlateDecode" | b"Fl" => inflate(&bytes, bytes_max)?,
            b"LZWDecode" | b"LZW" => lzw(&bytes, early_change(parameters), bytes_max)?,
            b"ASCIIHexDecode" | b"AHx" => {
                hexadecimal(bytes.split(|byte| *byte == b'>').next().unwrap_or_default())
            }
            b"ASCII85Decode" | b"A85" => ascii85(&bytes),
            b"RunLengthDecode" | b"RL" => run_lengths(&bytes, bytes_max)?,
            _of_pictures => return Err(NotUnpacked::Unknown),
        };
        bytes = match parameters {
            Some(parameters) => unpredicted(&unpacked, parameters),
            None => unpacked,
        };
    }
    if bytes.len() > bytes_max { Err(NotUnpacked::TooLarge) } else { Ok(bytes) }
}

fn inflate(packed: &[u8], bytes_max: usize) -> Result<Vec<u8>, NotUnpacked> {
    let limit = (bytes_max as u64).saturating_add(1);
    let mut out = Vec::new();
    // What was unpacked before a mistake stays in `out`.
    let _as_far_as_it_goes = ZlibDecoder::new(packed).take(limit).read_to_end(&mut out);
    if out.is_empty() {
        let _as_far_as_it_goes = DeflateDecoder::new(packed).take(limit).read_to_end(&mut out);
    }
    if out.len() > bytes_max { Err(NotUnpacked::TooLarge) } else { Ok(out) }
}

fn early_change(parameters: Option<&Dictionary>) -> usize {
    parameters.and_then(|parameters| parameters.get(b"EarlyChange".as_slice())?.size()).unwrap_or(1).min(1)
}

/// The dictionary coder of Lempel, Ziv and Welch, as PDF has it: the highest bit first, codes of 9 to 12 bits.
fn lzw(packed: &[u8], early: usize, bytes_max: usize) -> Result<Vec<u8>, NotUnpacked> {
    const CLEAR: usize = 256;
    const END: usize = 257;
    let mut out: Vec<u8> = Vec::new();
    // Where in `out` the text of each code stands that was learnt, and how long it is.
    let mut learnt: Vec<(usize, usize)> = Vec::new();
    let mut last: Option<(usize, usize)> = None;
    let (mut held, mut bits) = (0_usize, 0);
    let mut input = packed.iter();
    loop {
        let width = match learnt.len() + END + 1 + early {
            ..512 => 9,
            512..1024 => 10,
            1024..2048 => 11,
            _wide => 12,
        };
        while bits < width {
            let Some(byte) = input.next() else { return Ok(out) };
            held = (held << 8 | usize::from(*byte)) & 0xFF_FFFF;
            bits += 8;
        }
        bits -= width;
        let code = held >> bits & ((1 << width) - 1);
        let start = out.len();
        match code {
            CLEAR => {
                learnt.clear();
                last = None;
                continue;
            }
            END => return Ok(out),
            ..CLEAR => out.push(u8::try_from(code).unwrap_or_default()),
            _learnt => {
                // A code that is just being learnt is the last text and its first letter.
                let known = learnt.get(code - END - 1).copied();
                let Some((from, length)) = known.or(last.map(|(from, length)| (from, length + 1))) else {
                    return Ok(out);
                };
                for at in from..from + length {
                    out.push(out[at]);
                }
            }
        }
        if out.len() > bytes_max {
            return Err(NotUnpacked::TooLarge);
        }
        if let Some((from, length)) = last
            && learnt.len() + END + 1 < 4_096
        {
            learnt.push((from, length + 1));
        }
        last = Some((start, out.len() - start));
    }
}

fn ascii85(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let (mut group, mut digits) = (0_u32, 0);
    for byte in text.iter().take_while(|byte| **byte != b'~') {
        match byte {
            b'z' if digits == 0 => out.extend_from_slice(&[0; 4]),
            b'!'..=b'u' => {
                group = group.wrapping_mul(85).wrapping_add(u32::from(byte - b'!'));
                digits += 1;
                if digits == 5 {
                    out.extend_from_slice(&group.to_be_bytes());
                    (group, digits) = (0, 0);
                }
            }
            _white => {}
        }
    }
    if digits > 1 {
        let filled = (digits..5).fold(group, |group, _digit| group.wrapping_mul(85).wrapping_add(84));
        out.extend_from_slice(&filled.to_be_bytes()[..digits - 1]);
    }
    out
}

fn run_lengths(packed: &[u8], bytes_max: usize) -> Result<Vec<u8>, NotUnpacked> {
    let mut out = Vec::new();
    let mut rest = packed;
    while let Some((length, behind)) = rest.split_first() {
        rest = match (*length, behind.first()) {
            (128, _) | (_, None) => break,
            (length @ ..128, _) => {
                let (bytes, behind) = behind.split_at(behind.len().min(usize::from(length) + 1));
                out.extend_from_slice(bytes);
                behind
            }
            (length, Some(byte)) => {
                out.extend(std::iter::repeat_n(*byte, 257 - usize::from(length)));
                &behind[1..]
            }
        };
        if out.len() > bytes_max {
            return Err(NotUnpacked::TooLarge);
        }
    }
    Ok(out)
}

/// Undoes what was done before packing: each byte was told by how it differs from its neighbours, as in PNG.
fn unpredicted(bytes: &[u8], parameters: &Dictionary) -> Vec<u8> {
    let size =
        |name: &str, default| parameters.get(name.as_bytes()).and_then(Object::size).unwrap_or(default);
    if size("Predictor", 1) < 10 {
        return bytes.to_vec();
    }
    let pixel_bits = size("Colors", 1).clamp(1, 32) * size("BitsPerComponent", 8).clamp(1, 16);
    let row_bytes = size("Columns", 1).min(bytes.len() + 1).saturating_mul(pixel_bits).div_ceil(8).max(1);
    let step = pixel_bits.div_ceil(8);
    let mut out: Vec<u8> = Vec::with_capacity(bytes.len());
    let mut above = vec![0; row_bytes.min(bytes.len())];
    for row in bytes.chunks(row_bytes.saturating_add(1)) {
        let Some((kind, row)) = row.split_first() else { break };
        let start = out.len();
        for (at, byte) in row.iter().enumerate() {
            let left = if at >= step { out[start + at - step] } else { 0 };
            let [up, up_left] = [Some(at), at.checked_sub(step)].map(|at| at.map_or(0, |at| above[at]));
            let guess = match kind {
                1 => left,
                2 => up,
                3 => u8::midpoint(left, up),
                4 => paeth(left, up, up_left),
                _none => 0,
            };
            out.push(byte.wrapping_add(guess));
        }
        above[..row.len()].copy_from_slice(&out[start..]);
    }
    out
}

/// Whichever neighbour is nearest to what a plane through all three would have.
fn paeth(left: u8, up: u8, up_left: u8) -> u8 {
    let [a, b, c] = [left, up, up_left].map(i16::from);
    let guess = a + b - c;
    let away = |neighbour: i16| (guess - neighbour).abs();
    if away(a) <= away(b) && away(a) <= away(c) {
        left
    } else if away(b) <= away(c) {
        up
    } else {
        up_left
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Dictionary {
        let read =
            super::super::object::Reader::new(text.as_bytes(), 0, super::super::object::References::Read)
                .next();
        read.and_then(|object| object.dictionary().cloned()).expect("it is a dictionary")
    }

    fn unpacked(packed: &[u8], filter: &str) -> Result<Vec<u8>, NotUnpacked> {
        unpack(packed, &of(filter), 1_000, Object::clone)
    }

    #[test]
    fn each_filter_is_undone() {
        let text = |bytes: &[u8], filter: &str| {
            String::from_utf8(unpacked(bytes, filter).expect("it fits")).expect("it is text")
        };
        assert_eq!(text(b"68 65 6C6c 6F>rest", "<</Filter/ASCIIHexDecode>>"), "hello");
        assert_eq!(text(b"87cURD]i,\"Ebo80~>", "<</Filter [/ASCII85Decode]>>"), "Hello World!");
        assert_eq!(text(&[4, b'h', b'e', b'l', b'l', b'o', 254, b'!', 128], "<</Filter/RL>>"), "hello!!!");
        // The example of the specification.
        let lzw = [0x80, 0x0B, 0x60, 0x50, 0x22, 0x0C, 0x0C, 0x85, 0x01];
        assert_eq!(text(&lzw, "<</Filter/LZWDecode>>"), "-----A---B");
        assert_eq!(text(b"363533>", "<</Filter [/AHx /AHx]>>"), "e0");
        assert_eq!(unpacked(b"x", "<</Filter/DCTDecode>>"), Err(NotUnpacked::Unknown));
    }

    #[test]
    fn rows_are_told_by_their_neighbours() {
        let rows = [2, 1, 2, 3, 2, 1, 1, 1, 1, 5, 1, 1, 4, 1, 0, 0, 3, 2, 2, 2];
        let parameters = of("<</Predictor 12 /Columns 3>>");
        assert_eq!(unpredicted(&rows, &parameters), [1, 2, 3, 2, 3, 4, 5, 6, 7, 6, 6, 7, 5, 7, 9]);
        for broken in [
            "<</Predictor 15 /Columns 999999999999>>",
            "<</Predictor 10 /Columns 0>>",
            "<</Predictor 11 /Colors 99>>",
        ] {
            unpredicted(&rows, &of(broken));
        }
    }

    #[test]
    fn what_unpacks_to_too_much_is_left() {
        assert_eq!(unpacked(&[129, 0].repeat(20), "<</Filter/RL>>"), Err(NotUnpacked::TooLarge));
        assert!(unpacked(&[0x80, 0x0B], "<</Filter/LZW>>").is_ok());
        assert_eq!(unpacked(b"no zlib", "<</Filter/Fl>>"), Ok(Vec::new()));
    }
}
