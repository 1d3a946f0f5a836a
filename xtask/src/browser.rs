//! The browser of the tests: Chromium and its driver.

use std::{env, path::PathBuf, process::Command};

use anyhow::{Result, bail};

use crate::process::{on_path, output_of, run};

/// Where Chromium and its driver are.
#[derive(Debug)]
pub struct Browser {
    /// The browser.
    pub chromium: PathBuf,
    /// Its driver.
    pub chromedriver: PathBuf,
}

impl Browser {
    /// Finds both; installs them where that is possible without asking (as root on Debian).
    pub fn ready() -> Result<Self> {
        if let Some(browser) = Self::find() {
            return Ok(browser);
        }
        let root = output_of("id", &["-u"]).is_some_and(|user| user.trim() == "0");
        if root && on_path(&["apt-get"]).is_some() {
            println!("Installing chromium and chromium-driver with apt-get");
            let advice = "the tests need Chromium and chromedriver; install both and run the command again.";
            let apt = || {
                let mut command = Command::new("apt-get");
                command.env("DEBIAN_FRONTEND", "noninteractive");
                command
            };
            run(apt().args(["update", "--quiet"]), advice)?;
            run(
                apt().args([
                    "install",
                    "--yes",
                    "--quiet",
                    "--no-install-recommends",
                    "chromium",
                    "chromium-driver",
                ]),
                advice,
            )?;
            if let Some(browser) = Self::find() {
                return Ok(browser);
            }
        }
        bail!(
            "The tests need Chromium and chromedriver of the same version: install them (Debian: `apt-get install \
             chromium chromium-driver`), or name them in the variables CHROMIUM and CHROMEDRIVER."
        )
    }

    fn find() -> Option<Self> {
        let named = |variable: &str| env::var_os(variable).map(PathBuf::from).filter(|path| path.is_file());
        let chromium = named("CHROMIUM").or_else(|| {
            on_path(&["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"])
        })?;
        let chromedriver = named("CHROMEDRIVER").or_else(|| on_path(&["chromedriver"]))?;
        Some(Self { chromium, chromedriver })
    }
}
