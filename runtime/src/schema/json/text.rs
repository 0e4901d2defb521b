//! Strings of JSON.

use super::read::{Fault, FaultKind, Reader};

impl Reader<'_> {
    /// Reads a string, which begins here.
    pub(super) fn string(&mut self) -> Result<String, Fault> {
        self.at += 1;
        let mut out = String::new();
        loop {
            let start = self.at;
            while !matches!(self.peek(), None | Some(b'"' | b'\\' | 0..=0x1f)) {
                self.at += 1;
            }
            out.push_str(&self.text[start..self.at]);
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(out);
                }
                Some(b'\\') => {
                    self.at += 1;
                    out.push(self.escape()?);
                }
                _other => {
                    return Err(self.wanted("a string holds no line break and no other control character"));
                }
            }
        }
    }

    fn escape(&mut self) -> Result<char, Fault> {
        let char = match self.peek() {
            Some(plain @ (b'"' | b'\\' | b'/')) => char::from(plain),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                self.at += 1;
                return self.code_point();
            }
            _other => return Err(self.wanted("JSON has no such escape")),
        };
        self.at += 1;
        Ok(char)
    }

    fn code_point(&mut self) -> Result<char, Fault> {
        let first = self.code_unit()?;
        if !(0xd800..0xdc00).contains(&first) {
            return char::from_u32(first).ok_or_else(|| self.lone());
        }
        for byte in *b"\\u" {
            if self.peek() != Some(byte) {
                return Err(if self.peek().is_none() { self.wanted("") } else { self.lone() });
            }
            self.at += 1;
        }
        let second = self.code_unit()?;
        let low = second.checked_sub(0xdc00).filter(|low| *low < 0x400).ok_or_else(|| self.lone())?;
        char::from_u32(0x1_0000 + ((first - 0xd800) << 10) + low).ok_or_else(|| self.lone())
    }

    fn lone(&self) -> Fault {
        self.fault(FaultKind::Syntax("half of a character stands alone"))
    }

    fn code_unit(&mut self) -> Result<u32, Fault> {
        let mut unit = 0;
        for _ in 0..4 {
            let digit = self.peek().and_then(|byte| char::from(byte).to_digit(16));
            unit =
                unit * 16 + digit.ok_or_else(|| self.wanted("four hexadecimal digits must follow `\\u`"))?;
            self.at += 1;
        }
        Ok(unit)
    }
}
