//! Requests on this machine: ureq, with one thread a request so that several are under way at once.

use std::{
    io::Read,
    sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel},
    time::Duration,
};

use futures_util::future::poll_fn;
use ureq::{
    Agent,
    http::{HeaderMap, header},
};
use url::Url;

use super::transport::{Ask, Body, Head, Transport, Trouble};

/// Longest chunk that a body comes in, in bytes.
const CHUNK: usize = 64 * 1024;
/// Chunks that wait for their reader: enough for a whole piece, so that pieces come side by side.
const WAITING_CHUNKS: usize = 160;
/// More redirects than this lead nowhere.
const MAX_REDIRECTS: usize = 5;
/// How long connecting may take.
const CONNECT: Duration = Duration::from_secs(15);
/// Longest time for one body. Only a host that drips is ever stopped by it; silence ends sooner.
const WHOLE_BODY: Duration = Duration::from_hours(1);

/// ureq with time limits everywhere.
#[derive(Debug)]
pub(crate) struct Native {
    agent: Agent,
    silence: Duration,
}

/// A body whose chunks a thread reads.
#[derive(Debug)]
pub(crate) struct NativeBody {
    messages: Receiver<Message>,
    silence: Duration,
}

enum Message {
    Head(Box<Head>),
    Chunk(Vec<u8>),
    End,
    Trouble(Trouble),
}

impl Native {
    /// A host that says nothing for `silence` is given up.
    pub(crate) fn new(silence: Duration) -> Self {
        let agent = Agent::config_builder()
            // Followed here, so that a token stays with the host it is for.
            .max_redirects(0)
            .http_status_as_error(false)
            .timeout_connect(Some(CONNECT.min(silence)))
            .timeout_recv_response(Some(silence))
            .timeout_recv_body(Some(WHOLE_BODY))
            .user_agent(concat!("eigentilt/", env!("CARGO_PKG_VERSION")))
            .build()
            .into();
        Self { agent, silence }
    }
}

impl Transport for Native {
    type Body = NativeBody;

    async fn get(&self, ask: Ask) -> Result<(Head, NativeBody), Trouble> {
        let (sender, messages) = sync_channel(WAITING_CHUNKS);
        let agent = self.agent.clone();
        std::thread::Builder::new()
            .name("fetch".to_owned())
            .spawn(move || serve(&agent, &ask, &sender))
            .map_err(|error| Trouble::NoConnection(error.to_string()))?;
        // The others start their threads before this one waits.
        let mut others_had_their_turn = false;
        poll_fn(|context| {
            if std::mem::replace(&mut others_had_their_turn, true) {
                return std::task::Poll::Ready(());
            }
            context.waker().wake_by_ref();
            std::task::Poll::Pending
        })
        .await;
        let body = NativeBody { messages, silence: self.silence };
        // Connecting and redirects have time limits of their own.
        match body.next(CONNECT + self.silence * (MAX_REDIRECTS as u32 + 1))? {
            Message::Head(head) => Ok((*head, body)),
            Message::Trouble(trouble) => Err(trouble),
            Message::Chunk(_) | Message::End => Err(Trouble::Cut("no answer came".to_owned())),
        }
    }

    async fn pause(&self, duration: Duration) {
        std::thread::sleep(duration);
    }
}

impl NativeBody {
    fn next(&self, patience: Duration) -> Result<Message, Trouble> {
        self.messages.recv_timeout(patience).map_err(|error| match error {
            RecvTimeoutError::Timeout => {
                Trouble::Cut(format!("nothing came for {} seconds", patience.as_secs_f32()))
            }
            RecvTimeoutError::Disconnected => Trouble::Cut("the request ended".to_owned()),
        })
    }
}

impl Body for NativeBody {
    async fn chunk(&mut self) -> Result<Option<Vec<u8>>, Trouble> {
        match self.next(self.silence)? {
            Message::Chunk(bytes) => Ok(Some(bytes)),
            Message::End => Ok(None),
            Message::Trouble(trouble) => Err(trouble),
            Message::Head(_) => Err(Trouble::Cut("two answers came".to_owned())),
        }
    }
}

/// Runs in a thread of its own; ends as soon as nobody listens any more.
fn serve(agent: &Agent, ask: &Ask, sender: &SyncSender<Message>) {
    let (head, mut reader) = match follow(agent, ask) {
        Ok(answer) => answer,
        Err(trouble) => {
            let _ = sender.send(Message::Trouble(trouble));
            return;
        }
    };
    if sender.send(Message::Head(Box::new(head))).is_err() {
        return;
    }
    loop {
        let mut chunk = vec![0; CHUNK];
        let message = match reader.read(&mut chunk) {
            Ok(0) => Message::End,
            Ok(length) => {
                chunk.truncate(length);
                Message::Chunk(chunk)
            }
            Err(error) => Message::Trouble(Trouble::Cut(error.to_string())),
        };
        let last = !matches!(message, Message::Chunk(_));
        if sender.send(message).is_err() || last {
            return;
        }
    }
}

type Reader = ureq::BodyReader<'static>;

fn follow(agent: &Agent, ask: &Ask) -> Result<(Head, Reader), Trouble> {
    let wrong = |reason: &str| Trouble::Wrong(reason.to_owned());
    let mut url = Url::parse(&ask.url).map_err(|error| Trouble::Wrong(format!("the address is {error}")))?;
    let origin = url.origin();
    for _ in 0..=MAX_REDIRECTS {
        let range = format!("bytes={}-{}", ask.range.start, ask.range.end.saturating_sub(1));
        let mut request =
            agent.get(url.as_str()).header("Range", range).header("Accept-Encoding", "identity");
        if let Some(token) = ask.token.as_ref().filter(|_| url.origin() == origin) {
            request = request.header("Authorization", token.header());
        }
        let response = request.call().map_err(|error| Trouble::NoConnection(error.to_string()))?;
        let status = response.status().as_u16();
        if !matches!(status, 301 | 302 | 303 | 307 | 308) {
            let head = head(status, url.as_str(), response.headers());
            return Ok((head, response.into_body().into_reader()));
        }
        let next = text(response.headers(), &header::LOCATION)
            .and_then(|location| url.join(&location).ok())
            .ok_or_else(|| wrong("it redirects to no address"))?;
        if url.scheme() == "https" && next.scheme() != "https" {
            return Err(wrong("it redirects to an address without encryption"));
        }
        url = next;
    }
    Err(wrong("it redirects without end"))
}

fn head(status: u16, url: &str, headers: &HeaderMap) -> Head {
    let plain = text(headers, &header::CONTENT_ENCODING).is_none_or(|encoding| encoding == "identity");
    let length = text(headers, &header::CONTENT_LENGTH).and_then(|length| length.parse().ok());
    Head {
        status,
        url: url.to_owned(),
        etag: text(headers, &header::ETAG),
        content_range: text(headers, &header::CONTENT_RANGE),
        content_length: length.filter(|_| plain),
        retry_after: text(headers, &header::RETRY_AFTER).and_then(|seconds| seconds.parse().ok()),
    }
}

fn text(headers: &HeaderMap, name: &header::HeaderName) -> Option<String> {
    Some(headers.get(name)?.to_str().ok()?.to_owned())
}
