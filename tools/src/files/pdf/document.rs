//! A file as a whole: its objects by number, its pages in their order.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::PdfError;
use super::filter::{NotUnpacked, unpack};
use super::object::{Dictionary, Object, Reader, References};
use super::page::Page;
use super::places::{Places, stream_range, stream_start};
use crate::files::stop::Stop;

/// How many bytes may be unpacked of a file, for a call.
const UNPACKED_BYTES_MAX: usize = 128 * 1024 * 1024;
/// How many bytes those streams may unpack to that objects are packed in; they are held.
const HELD_BYTES_MAX: usize = 64 * 1024 * 1024;
/// How many bytes before the beginning of a file may be something else.
const HEAD_BYTES_MAX: usize = 1024;
/// How many references may lead to each other.
const HOPS_MAX: usize = 16;
/// How many pages are counted.
const PAGES_MAX: usize = 100_000;

/// A file, its objects and pages found.
pub(super) struct Document<'a> {
    bytes: Vec<u8>,
    places: BTreeMap<u32, Place>,
    held: Vec<Vec<u8>>,
    pages: Vec<PageAt>,
    unpacked: Cell<usize>,
    stop: &'a Stop,
}

/// Where an object stands.
#[derive(Clone, Copy, Debug)]
enum Place {
    /// In the file.
    File(usize),
    /// In one of the streams that are held, which stands in the file at `since`.
    Held { stream: usize, at: usize, since: usize },
}

impl Place {
    /// Where it stands in the file: what stands behind others is newer.
    fn since(self) -> usize {
        match self {
            Place::File(at) | Place::Held { since: at, .. } => at,
        }
    }
}

/// A page as the tree has it.
#[derive(Clone, Debug)]
struct PageAt {
    number: u32,
    /// What it has of the nodes above it.
    resources: Option<Rc<Object>>,
}

impl Document<'_> {
    /// Finds what is in a file.
    pub(super) fn open(bytes: Vec<u8>, stop: &Stop) -> Result<Document<'_>, PdfError> {
        let head = &bytes[..bytes.len().min(HEAD_BYTES_MAX)];
        if !head.windows(5).any(|window| window == b"%PDF-") {
            return Err(PdfError::NotPdf);
        }
        let found = Places::find(&bytes, || stop.is_reached());
        let is_encrypted = found.trailers.iter().any(|trailer| trailer.contains_key(b"Encrypt".as_slice()));
        if is_encrypted {
            return Err(PdfError::Encrypted);
        }
        let places = found.objects.iter().map(|(number, at)| (*number, Place::File(*at))).collect();
        let (held, pages, unpacked) = (Vec::new(), Vec::new(), Cell::new(0));
        let mut document = Document { bytes, places, held, pages, unpacked, stop };
        document.check(found.is_complete)?;
        found.packed.iter().try_for_each(|number| document.hold(*number))?;
        document.pages = document.walk(&found.trailers)?;
        Ok(document)
    }

    /// How many pages there are.
    pub(super) fn pages(&self) -> usize {
        self.pages.len()
    }

    /// The text of a page, counted from 1, of which so many bytes are enough.
    pub(super) fn text(&self, page: usize, bytes_max: usize) -> Result<String, PdfError> {
        let Some(at) = self.pages.get(page - 1) else { return Ok(String::new()) };
        let page = self.object(&Object::Reference(at.number));
        let Some(page) = page.dictionary() else { return Ok(String::new()) };
        let own = self.of(page, "Resources");
        let inherited = || at.resources.as_deref().map(|resources| self.object(resources));
        let resources = own.or_else(inherited).and_then(|resources| resources.dictionary().cloned());
        Page::new(self, bytes_max).show(page, &resources.unwrap_or_default())
    }

    /// The object that something is or refers to; a word where there is none.
    pub(super) fn object(&self, object: &Object) -> Object {
        let mut object = object.clone();
        for _hop in 0..HOPS_MAX {
            let Object::Reference(number) = object else { return object };
            object = self.numbered(number).unwrap_or_else(|| Object::Word(b"null".to_vec()));
        }
        Object::Word(b"null".to_vec())
    }

    /// What a dictionary has by a name, references followed.
    pub(super) fn of(&self, dictionary: &Dictionary, name: &str) -> Option<Object> {
        let object = self.object(dictionary.get(name.as_bytes())?);
        (object != Object::Word(b"null".to_vec())).then_some(object)
    }

    /// What a stream holds, unpacked; nothing where it is a picture or no stream.
    pub(super) fn unpacked(&self, stream: &Object) -> Result<Vec<u8>, PdfError> {
        self.check(true)?;
        let Object::Stream(dictionary, range) = stream else { return Ok(Vec::new()) };
        let left = UNPACKED_BYTES_MAX - self.unpacked.get();
        let packed = self.bytes.get(range.clone()).unwrap_or_default();
        match unpack(packed, dictionary, left, |object| self.object(object)) {
            Ok(bytes) => {
                self.unpacked.set(self.unpacked.get() + bytes.len().max(packed.len()).min(left));
                Ok(bytes)
            }
            Err(NotUnpacked::TooLarge) => Err(PdfError::TooLarge),
            Err(NotUnpacked::Unknown) => Ok(Vec::new()),
        }
    }

    /// Whether there is time left, and the work before was done in its limits.
    pub(super) fn check(&self, is_within_limits: bool) -> Result<(), PdfError> {
        if self.stop.is_reached() {
            Err(PdfError::Stopped)
        } else if is_within_limits {
            Ok(())
        } else {
            Err(PdfError::TooLarge)
        }
    }

    fn numbered(&self, number: u32) -> Option<Object> {
        match *self.places.get(&number)? {
            Place::Held { stream, at, .. } => Reader::new(&self.held[stream], at, References::Read).next(),
            Place::File(at) => {
                let mut reader = Reader::new(&self.bytes, at, References::Read);
                match (reader.next()?, stream_start(&self.bytes, reader.at)) {
                    (Object::Dictionary(dictionary), Some(start)) => {
                        let length = self.length(&dictionary);
                        let range = stream_range(&self.bytes, start, length, &mut true);
                        Some(Object::Stream(dictionary, range))
                    }
                    (object, _no_stream) => Some(object),
                }
            }
        }
    }

    /// How long a stream is said to be. The number may be an object of its own, which is no stream.
    fn length(&self, dictionary: &Dictionary) -> Option<usize> {
        match dictionary.get(b"Length".as_slice())? {
            Object::Reference(number) => match *self.places.get(number)? {
                Place::File(at) => Reader::new(&self.bytes, at, References::Absent).next()?.size(),
                Place::Held { stream, at, .. } => {
                    Reader::new(&self.held[stream], at, References::Absent).next()?.size()
                }
            },
            length => length.size(),
        }
    }

    /// Unpacks a stream that objects are packed in, and holds it.
    fn hold(&mut self, number: u32) -> Result<(), PdfError> {
        let stream = self.object(&Object::Reference(number));
        let since = self.places.get(&number).map_or(0, |place| place.since());
        let Some(dictionary) = stream.dictionary() else { return Ok(()) };
        let size = |name: &str| self.of(dictionary, name).and_then(|size| size.size()).unwrap_or(0);
        let (count, first) = (size("N"), size("First"));
        let bytes = self.unpacked(&stream)?;
        if self.held.iter().map(Vec::len).sum::<usize>() + bytes.len() > HELD_BYTES_MAX {
            return Err(PdfError::TooLarge);
        }
        // It begins with a number and a place for each object.
        let mut reader = Reader::new(&bytes, 0, References::Absent);
        let mut numbers = std::iter::from_fn(|| reader.next()?.size());
        for _object in 0..count {
            let (Some(number), Some(at)) = (numbers.next(), numbers.next()) else { break };
            let place = Place::Held { stream: self.held.len(), at: first.saturating_add(at), since };
            if let Ok(number) = u32::try_from(number)
                && self.places.get(&number).is_none_or(|older| older.since() < since)
            {
                self.places.insert(number, place);
            }
        }
        self.held.push(bytes);
        Ok(())
    }

    /// The pages, from whichever beginning has some, the last one first.
    fn walk(&self, trailers: &[Dictionary]) -> Result<Vec<PageAt>, PdfError> {
        let roots = trailers.iter().rev().filter_map(|trailer| self.of(trailer, "Root"));
        let mut is_empty = false;
        for root in roots {
            if let Some(pages) = root.dictionary().and_then(|root| root.get(b"Pages".as_slice())) {
                let found = self.walk_from(pages)?;
                if !found.is_empty() {
                    return Ok(found);
                }
                let kids = self.object(pages).dictionary().and_then(|pages| self.of(pages, "Kids"));
                is_empty |= kids == Some(Object::List(Vec::new()));
            }
        }
        if is_empty {
            return Ok(Vec::new());
        }
        for number in self.places.keys().rev() {
            self.check(true)?;
            let object = self.object(&Object::Reference(*number));
            let Some(dictionary) = object.dictionary() else { continue };
            if self.has_type(dictionary, b"Catalog")
                && let Some(pages) = dictionary.get(b"Pages".as_slice())
            {
                let found = self.walk_from(pages)?;
                if !found.is_empty() {
                    return Ok(found);
                }
            }
        }
        Err(PdfError::Broken)
    }

    fn has_type(&self, dictionary: &Dictionary, wanted: &[u8]) -> bool {
        self.of(dictionary, "Type").is_some_and(|kind| kind.name() == Some(wanted))
    }

    /// The pages below a node, in their order. No node is gone into twice.
    fn walk_from(&self, root: &Object) -> Result<Vec<PageAt>, PdfError> {
        let mut pages = Vec::new();
        let mut seen = BTreeSet::new();
        let mut open: Vec<(Object, Option<Rc<Object>>)> = vec![(root.clone(), None)];
        while let Some((object, above)) = open.pop() {
            self.check(pages.len() < PAGES_MAX)?;
            let Object::Reference(number) = object else { continue };
            let node = self.object(&object);
            let Some(dictionary) = node.dictionary() else { continue };
            let own = dictionary.get(b"Resources".as_slice()).cloned().map(Rc::new);
            match self.of(dictionary, "Kids") {
                Some(Object::List(kids)) if seen.insert(number) => {
                    let resources = own.or(above);
                    open.extend(kids.into_iter().rev().map(|kid| (kid, resources.clone())));
                }
                Some(_again) => {}
                None if self.has_type(dictionary, b"Pages") => {}
                None => pages.push(PageAt { number, resources: above }),
            }
        }
        Ok(pages)
    }
}
