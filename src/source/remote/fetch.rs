//! Gets bytes from the host, whatever it does: each way ends in the bytes or in one sentence.

use std::{ops::Range, time::Duration};

use futures_util::stream::{self, StreamExt, TryStreamExt};

use super::{
    PIECE, Remote,
    answer::{Answer, plain_etag},
    transport::{Ask, Body, Head, Store, Transport, Trouble},
};
use crate::source::SourceError;

/// Requests under way at once.
const REQUESTS: usize = 6;
/// How often a request is made that ends in a cut, in silence or in a fault of the host.
const TRIES: u32 = 3;
/// Longest pause that a host can ask for by Retry-After.
const LONGEST_PAUSE: Duration = Duration::from_secs(20);
/// What is fetched first of every file: a header of safetensors and a config.json mostly fit, and the answer
/// tells the length of the file.
const FIRST: u64 = 64 * 1024;
/// Largest file whose length the host does not say.
const UNMEASURED: usize = 32 << 20;

/// What was spent on one piece.
#[derive(Clone, Copy, Debug, Default)]
struct Tries {
    failed: u32,
    resolved_again: bool,
}

impl<T: Transport, S: Store> Remote<T, S> {
    /// Finds out the length of `file`, with its first bytes.
    pub(super) async fn look(&self, file: &str) -> Result<u64, SourceError> {
        let mut tries = Tries::default();
        'again: loop {
            let (answer, head, mut body) = self.ask(file, 0..FIRST, &mut tries).await?;
            let (length, whole) = match answer {
                Answer::Part { total, .. } => (Some(total), false),
                Answer::Whole { length } => (length, true),
                // Not one byte: an empty file.
                Answer::Beyond { total: Some(0) } => (Some(0), false),
                _ => return Err(self.wrong(file, "it finds no first byte")),
            };
            self.with(file, |state| state.ignores_ranges = whole);
            let wanted = length.map_or(UNMEASURED, |length| length.min(FIRST) as usize);
            let mut bytes = Vec::new();
            while bytes.len() < wanted {
                match self.chunk(file, &mut body).await {
                    Ok(Some(chunk)) => bytes.extend_from_slice(&chunk),
                    Ok(None) if length.is_none() => break,
                    Ok(None) => {
                        self.spend(file, &mut tries, Trouble::Cut("it ended too soon".to_owned()), None)
                            .await?;
                        continue 'again;
                    }
                    Err(trouble) => {
                        self.spend(file, &mut tries, trouble, None).await?;
                        continue 'again;
                    }
                }
            }
            if length.is_none() && bytes.len() >= UNMEASURED {
                return Err(self.wrong(file, "it does not say how long the file is"));
            }
            bytes.truncate(wanted);
            let length = length.unwrap_or(bytes.len() as u64);
            self.recognise(file, length, &plain_etag(&head)).await?;
            self.keep(file, 0, bytes).await;
            return Ok(length);
        }
    }

    /// Fetches `pieces`, several at once. Where the host turns out to ignore ranges it stops without an error.
    pub(super) async fn fetch(&self, file: &str, pieces: Vec<Range<u64>>) -> Result<(), SourceError> {
        stream::iter(pieces)
            .map(|piece| self.piece(file, piece))
            .buffer_unordered(REQUESTS)
            .try_for_each(|()| async { Ok(()) })
            .await
    }

    async fn piece(&self, file: &str, piece: Range<u64>) -> Result<(), SourceError> {
        let mut tries = Tries::default();
        let mut bytes = Vec::with_capacity((piece.end - piece.start).min(PIECE) as usize);
        loop {
            let at = piece.start + bytes.len() as u64;
            if at >= piece.end {
                break;
            }
            if !self.takes_ranges(file) {
                return Ok(());
            }
            let (answer, head, mut body) = self.ask(file, at..piece.end, &mut tries).await?;
            let end = match answer {
                Answer::Part { end, total } => {
                    self.recognise(file, total, &plain_etag(&head)).await?;
                    end
                }
                Answer::Whole { .. } => {
                    self.with(file, |state| state.ignores_ranges = true);
                    return Ok(());
                }
                Answer::Beyond { total: Some(total) } => {
                    self.recognise(file, total, &plain_etag(&head)).await?;
                    return Err(self.wrong(file, "it does not find bytes that it has announced"));
                }
                _ => return Err(self.wrong(file, "it does not find bytes that it has announced")),
            };
            let trouble = loop {
                match self.chunk(file, &mut body).await {
                    Ok(Some(chunk)) => bytes.extend_from_slice(&chunk),
                    Ok(None) => break None,
                    Err(trouble) => break Some(trouble),
                }
                // More than was promised is no business of this request.
                if piece.start + bytes.len() as u64 >= end {
                    bytes.truncate((end - piece.start) as usize);
                    break None;
                }
            };
            if let Some(trouble) = trouble {
                self.spend(file, &mut tries, trouble, None).await?;
            } else if piece.start + (bytes.len() as u64) < end || end == at {
                self.spend(file, &mut tries, Trouble::Cut("it ended too soon".to_owned()), None).await?;
            }
        }
        self.keep(file, piece.start, bytes).await;
        Ok(())
    }

    /// Reads the whole file from its beginning, keeps `pieces` of it and stops after the last.
    pub(super) async fn stream(&self, file: &str, pieces: Vec<Range<u64>>) -> Result<(), SourceError> {
        let mut tries = Tries::default();
        let mut pieces = std::collections::VecDeque::from(pieces);
        'again: while let Some(last) = pieces.back().map(|piece| piece.end) {
            let (answer, head, mut body) = self.ask(file, 0..last, &mut tries).await?;
            let length = match answer {
                Answer::Whole { length } => length,
                Answer::Part { total, .. } => Some(total),
                _ => return Err(self.wrong(file, "it finds no first byte")),
            };
            let known = self.with(file, |state| state.record.as_ref().map_or(0, |record| record.length));
            self.recognise(file, length.unwrap_or(known), &plain_etag(&head)).await?;
            let mut at = 0;
            let mut kept: Vec<u8> = Vec::new();
            while let Some(piece) = pieces.front().cloned() {
                let chunk = match self.chunk(file, &mut body).await {
                    Ok(Some(chunk)) => chunk,
                    outcome => {
                        let ended = Trouble::Cut("it ended too soon".to_owned());
                        self.spend(file, &mut tries, outcome.err().unwrap_or(ended), None).await?;
                        continue 'again;
                    }
                };
                let mut piece = Some(piece);
                // One chunk may hold the ends and beginnings of several pieces.
                while let Some(current) = piece.take() {
                    let end = at + chunk.len() as u64;
                    let next = current.start + kept.len() as u64;
                    let (from, to) = (next.max(at), current.end.min(end));
                    if from < to {
                        kept.extend_from_slice(&chunk[(from - at) as usize..(to - at) as usize]);
                    }
                    if current.start + kept.len() as u64 == current.end {
                        self.keep(file, current.start, std::mem::take(&mut kept)).await;
                        pieces.pop_front();
                        piece = pieces.front().cloned();
                    }
                }
                at += chunk.len() as u64;
            }
        }
        Ok(())
    }

    /// One request and its answer. Redirects that have expired are followed anew once, and what may pass is
    /// tried again.
    async fn ask(
        &self,
        file: &str,
        range: Range<u64>,
        tries: &mut Tries,
    ) -> Result<(Answer, Head, T::Body), SourceError> {
        let (name, place) = (|| file.to_owned(), || self.place());
        loop {
            let own = self.address.of(file);
            let link = self.with(file, |state| state.link.clone());
            let url = link.unwrap_or_else(|| own.clone());
            let token = self.token.clone().filter(|_| self.address.takes_token(&url));
            let (head, body) = match self.transport.get(Ask { url, range: range.clone(), token }).await {
                Ok(answer) => answer,
                Err(trouble) => {
                    self.spend(file, tries, trouble, None).await?;
                    continue;
                }
            };
            let answer = Answer::read(&head, &range);
            let redirected = head.url != own;
            match answer {
                Answer::Part { .. } | Answer::Whole { .. } | Answer::Beyond { .. } => {
                    self.with(file, |state| state.link = redirected.then(|| head.url.clone()));
                    return Ok((answer, head, body));
                }
                // The signature of a link expires, and hosts differ in how they say so.
                Answer::NeedsToken | Answer::Refused | Answer::Absent
                    if redirected && !tries.resolved_again =>
                {
                    tries.resolved_again = true;
                    self.with(file, |state| state.link = None);
                }
                Answer::NeedsToken => return Err(SourceError::NeedsToken { file: name(), place: place() }),
                Answer::Refused => return Err(SourceError::Refused { file: name(), place: place() }),
                Answer::Absent => return Err(self.missing(file, "")),
                Answer::Later => {
                    let trouble = Trouble::Cut(format!("the host answered {}", head.status));
                    let pause = head.retry_after.map(Duration::from_secs);
                    self.spend(file, tries, trouble, pause).await.map_err(|_| match head.status {
                        429 => SourceError::TooMany { file: name(), place: place() },
                        status => SourceError::Status { file: name(), place: place(), status },
                    })?;
                }
                Answer::Wrong(reason) => return Err(self.wrong(file, &reason)),
                Answer::Status => {
                    return Err(SourceError::Status { file: name(), place: place(), status: head.status });
                }
            }
        }
    }

    async fn chunk(&self, file: &str, body: &mut T::Body) -> Result<Option<Vec<u8>>, Trouble> {
        let chunk = body.chunk().await?;
        let length = chunk.as_ref().map_or(0, |chunk| chunk.len() as u64);
        self.with(file, |state| state.fetched += length);
        Ok(chunk)
    }

    /// Waits before the next try, each time longer, or ends in an error where there were enough.
    async fn spend(
        &self,
        file: &str,
        tries: &mut Tries,
        trouble: Trouble,
        asked_for: Option<Duration>,
    ) -> Result<(), SourceError> {
        let (file, place) = (file.to_owned(), self.place());
        tries.failed += 1;
        if tries.failed >= TRIES || matches!(trouble, Trouble::Wrong(_)) {
            return Err(match trouble {
                Trouble::NoConnection(reason) => SourceError::NoConnection { file, place, reason },
                Trouble::Cut(reason) => SourceError::Cut { file, place, reason },
                Trouble::Wrong(reason) => SourceError::WrongAnswer { file, place, reason },
            });
        }
        let pause = self.first_pause * 4u32.pow(tries.failed - 1);
        self.transport.pause(pause.max(asked_for.unwrap_or_default().min(LONGEST_PAUSE))).await;
        Ok(())
    }
}
