//! Why bytes could not be had: each case is one plain sentence that names file and place and says what to do.

/// Why bytes could not be had. `place` is the folder, the address or the name of the model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SourceError {
    /// There is no such file.
    #[error(
        "{file} is missing in {place}: a model folder holds config.json, model.safetensors and tokenizer.json.{advice}"
    )]
    Missing {
        /// The file that was looked for.
        file: String,
        /// Folder, address or name of the model.
        place: String,
        /// Further advice, starting with a space, or empty.
        advice: &'static str,
    },
    /// The file ends before the bytes that were asked for.
    #[error(
        "{file} ends at byte {length}, before byte {end} that its contents promise: the file is cut off, copy or download it again."
    )]
    Truncated {
        /// The file.
        file: String,
        /// Its length in bytes.
        length: u64,
        /// End of the range that was asked for.
        end: u64,
    },
    /// The host or the operating system refused.
    #[error(
        "{file} could not be read from {place} ({reason}): check the address or the folder's permissions and try again."
    )]
    Unreadable {
        /// The file.
        file: String,
        /// Folder, address or name of the model.
        place: String,
        /// What the system said.
        reason: String,
    },
    /// The file is larger than a file of its kind can be.
    #[error(
        "{file} is {length} bytes long, more than the {limit} that such a file may have: it is not the file that its name says."
    )]
    TooLarge {
        /// The file.
        file: String,
        /// Its length in bytes.
        length: u64,
        /// Largest length that is read.
        limit: u64,
    },
    /// A name that is neither a repository nor a link.
    #[error(
        "\"{name}\" names no model ({reason}): write hub:owner/name, hub:owner/name@revision, or a link that begins with https://."
    )]
    Address {
        /// What the reader wrote.
        name: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// Nothing answered.
    #[error(
        "{file} could not be fetched from {place}, because no connection came about ({reason}): check the network and the address, and try again."
    )]
    NoConnection {
        /// The file.
        file: String,
        /// The repository or link.
        place: String,
        /// What the system said.
        reason: String,
    },
    /// Connections ended or fell silent before their time, again and again.
    #[error(
        "The connection to {place} broke off again and again while {file} was being fetched ({reason}): try again, what has come so far is kept where a store is to be had."
    )]
    Cut {
        /// The file.
        file: String,
        /// The repository or link.
        place: String,
        /// What the system said.
        reason: String,
    },
    /// 401: the host wants to know who asks. The hub also answers so for a repository that does not exist.
    #[error(
        "{place} gives {file} only to those it knows, or does not exist: check the name, and for a gated or private repository give your token and try again."
    )]
    NeedsToken {
        /// The file.
        file: String,
        /// The repository or link.
        place: String,
    },
    /// 403: the host does not give the file to this reader.
    #[error(
        "{place} refuses to give {file} (the host answered 403): ask for access on the repository's own page, give your token, and try again."
    )]
    Refused {
        /// The file.
        file: String,
        /// The repository or link.
        place: String,
    },
    /// 429: too many requests.
    #[error(
        "The host of {place} asks for fewer requests (it answered 429 for {file}): wait a few minutes and try again."
    )]
    TooMany {
        /// The file.
        file: String,
        /// The repository or link.
        place: String,
    },
    /// Any other status that is no success.
    #[error(
        "The host of {place} answered {status} when asked for {file}: the fault is on its side, try again later."
    )]
    Status {
        /// The file.
        file: String,
        /// The repository or link.
        place: String,
        /// The status of the answer.
        status: u16,
    },
    /// The file is not the one that reading began with.
    #[error(
        "{file} has changed in {place} since reading began or since it was stored: what was stored of it is dropped, try again to read the new one."
    )]
    Changed {
        /// The file.
        file: String,
        /// The repository or link.
        place: String,
    },
    /// The answer is not what was asked for, so that its bytes cannot be trusted.
    #[error(
        "The host of {place} gives wrong answers for {file} ({reason}): download the model and choose its folder, or try again later."
    )]
    WrongAnswer {
        /// The file.
        file: String,
        /// The repository or link.
        place: String,
        /// What is wrong.
        reason: String,
    },
}
