//! A Chromium that opens the built page, and what a reader would look at in it.

use std::{
    io::{BufRead, BufReader},
    path::PathBuf,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use serde_json::Value;
use tempfile::TempDir;
use thirtyfour::{ChromeCapabilities, ChromiumLikeCapabilities, WebDriver, error::WebDriverResult};

/// Longer than any step takes on a loaded machine; only a hang reaches it.
const PATIENCE: Duration = Duration::from_mins(1);

/// A browser with a profile of its own. The driver process ends with it.
pub struct Browser {
    pub driver: WebDriver,
    process: Child,
    profile: TempDir,
}

impl Drop for Browser {
    fn drop(&mut self) {
        // They may have ended already. A driver that is killed leaves its browser behind, known by its profile.
        let _ = self.process.kill();
        let _ = self.process.wait();
        let _ = Command::new("pkill").arg("-f").arg(self.profile.path()).status();
    }
}

/// The built page.
pub fn dist() -> PathBuf {
    std::env::var_os("EIGENTILT_DIST").expect("set by cargo xtask test: the folder of the built page").into()
}

impl Browser {
    /// Starts chromedriver on a free port, and Chromium with a window of `width` x `height`.
    pub async fn open(width: u32, height: u32) -> Self {
        let variable = |name: &str, default: &str| std::env::var(name).unwrap_or_else(|_| default.to_owned());
        let mut process = Command::new(variable("CHROMEDRIVER", "chromedriver"))
            .args(["--port=0", "--log-level=SEVERE"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("chromedriver starts");
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let port: u16 = loop {
            let line = lines.next().expect("chromedriver says its port").unwrap();
            let number = line.rsplit("port ").next().map(|rest| rest.trim_end_matches('.').to_owned());
            if line.contains("successfully")
                && let Some(port) = number.and_then(|text| text.parse().ok())
            {
                break port;
            }
        };
        // Whatever else it prints must not fill the pipe.
        std::thread::spawn(move || lines.for_each(drop));
        let profile = tempfile::tempdir().unwrap();
        let mut capabilities = ChromeCapabilities::new();
        let window = format!("--window-size={width},{height}");
        let data = format!("--user-data-dir={}", profile.path().display());
        for argument in [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            window.as_str(),
            data.as_str(),
        ] {
            capabilities.add_arg(argument).unwrap();
        }
        capabilities.set_binary(&variable("CHROMIUM", "/usr/bin/chromium")).unwrap();
        let driver = WebDriver::new(format!("http://127.0.0.1:{port}"), capabilities).await.unwrap();
        Self { driver, process, profile }
    }

    /// Runs a script that ends in `return …`; `arguments[0]` and so on are `arguments`.
    pub async fn run(&self, script: &str, arguments: Vec<Value>) -> Value {
        let answer = self.driver.execute(script, arguments).await;
        answer.unwrap_or_else(|error| panic!("{script}: {error}")).json().clone()
    }

    /// Runs `script` until it returns something true, and answers with that.
    pub async fn wait(&self, what: &str, script: &str, arguments: Vec<Value>) -> Value {
        let start = Instant::now();
        loop {
            let answer = self.run(script, arguments.clone()).await;
            let holds = !matches!(&answer, Value::Null | Value::Bool(false)) && answer != "";
            if holds {
                return answer;
            }
            if start.elapsed() > PATIENCE {
                let text = self.run("return document.body.innerText", vec![]).await;
                panic!("{what} did not come; the page says: {text}");
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// Waits until nothing is computed and a picture stands.
    pub async fn settled(&self) {
        let script = r#"
            const lab = document.querySelector('[data-lab="models"]');
            return !!lab && lab.getAttribute('aria-busy') === 'false' && !!lab.querySelector('canvas');
        "#;
        self.wait("a picture", script, vec![]).await;
    }

    /// The rows of the table beside the picture `name`.
    pub async fn table(&self, name: &str) -> Vec<Vec<String>> {
        let script = r#"
            const numbers = document.querySelector(`[data-numbers="${arguments[0]}"]`);
            if (!numbers) return null;
            numbers.open = true;
            const rows = [...document.querySelectorAll(`table[data-table="${arguments[0]}"] tbody tr`)];
            return rows.length > 0 && rows.map((row) => [...row.cells].map((cell) => cell.textContent));
        "#;
        let rows = self.wait("the table of numbers", script, vec![name.into()]).await;
        serde_json::from_value(rows).unwrap()
    }

    /// How many different colours the canvas of picture `name` has; 1 is a blank one.
    pub async fn colours(&self, name: &str) -> u64 {
        let script = r#"
            const canvas = document.querySelector(`[data-figure="${arguments[0]}"] canvas`);
            if (!canvas || canvas.width === 0 || canvas.height === 0) return 0;
            const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
            return new Set(new Uint32Array(pixels.buffer)).size;
        "#;
        self.run(script, vec![name.into()]).await.as_u64().unwrap()
    }

    /// Replaces the text as typing would.
    pub async fn write_text(&self, text: &str) {
        let script = r#"
            const field = document.querySelector('textarea[name="text"]');
            field.value = arguments[0];
            field.dispatchEvent(new InputEvent('input', { bubbles: true }));
            field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }));
        "#;
        self.run(script, vec![text.into()]).await;
    }

    /// Chooses `value` in the list or field `name` as a reader would.
    pub async fn choose(&self, name: &str, value: &str) {
        let script = r#"
            const field = document.querySelector(`[name="${arguments[0]}"]`);
            field.value = arguments[1];
            field.dispatchEvent(new Event('input', { bubbles: true }));
            field.dispatchEvent(new Event('change', { bubbles: true }));
        "#;
        self.run(script, vec![name.into(), value.into()]).await;
    }

    /// Picks the choice `value` among those called `name`.
    pub async fn pick(&self, name: &str, value: &str) {
        let script = r#"document.querySelector(`[name="${arguments[0]}"][value="${arguments[1]}"]`).click()"#;
        self.run(script, vec![name.into(), value.into()]).await;
    }

    /// The text of the first element that `selector` finds; empty where there is none or it is hidden.
    pub async fn text(&self, selector: &str) -> String {
        let script = "return document.querySelector(arguments[0])?.innerText ?? ''";
        self.run(script, vec![selector.into()]).await.as_str().unwrap_or_default().to_owned()
    }

    /// What the page logged as an error.
    pub async fn errors(&self) -> WebDriverResult<Vec<String>> {
        let log = self.driver.browser_log().await?;
        Ok(log.into_iter().filter(|entry| entry.level == "SEVERE").map(|entry| entry.message).collect())
    }
}
