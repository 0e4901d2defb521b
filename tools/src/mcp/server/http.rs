//! Serving over streamable HTTP.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;
use toolwright::env::{Env, TaskName};

use super::handler::Handler;

/// How many clients may be connected at once.
const CONNECTIONS_MAX: usize = 256;
/// How long a client may take to say what it wants: one that says nothing must not keep a place from others.
const HEAD_PATIENCE: Duration = Duration::from_secs(10);
/// How long nothing is accepted after accepting has failed.
const FAILURE_WAIT: Duration = Duration::from_millis(100);

type Service = StreamableHttpService<Handler, LocalSessionManager>;

/// A server that listens. Dropping it ends it and every connection.
#[derive(Debug)]
pub struct HttpServer {
    address: SocketAddr,
    stop: CancellationToken,
}

impl HttpServer {
    pub(super) async fn start(handler: Handler, env: Env, address: &str) -> io::Result<HttpServer> {
        let listener = TcpListener::bind(address).await?;
        let (address, stop) = (listener.local_addr()?, CancellationToken::new());
        let mut config = StreamableHttpServerConfig::default().enforce_origin_validation();
        config.cancellation_token = stop.clone();
        // A browser says which page asks: only pages of this very address may.
        let port = address.port();
        config.allowed_origins =
            ["localhost", "127.0.0.1", "[::1]"].map(|host| format!("http://{host}:{port}")).to_vec();
        let make = move || Ok(handler.clone());
        let service = StreamableHttpService::new(make, Arc::new(LocalSessionManager::default()), config);
        let accepting = accept(env.clone(), listener, service, stop.clone());
        drop(env.spawn(TaskName { kind: "listener of a server", index: 0 }, accepting));
        Ok(HttpServer { address, stop })
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Waits until it is stopped.
    pub async fn stopped(&self) {
        self.stop.cancelled().await;
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

async fn accept(env: Env, listener: TcpListener, service: Service, stop: CancellationToken) {
    let places = Arc::new(tokio::sync::Semaphore::new(CONNECTIONS_MAX));
    let accepting = async {
        loop {
            let Ok(place) = Arc::clone(&places).acquire_owned().await else { return };
            match listener.accept().await {
                Ok((stream, _from)) => {
                    let (service, stop) = (service.clone(), stop.clone());
                    drop(env.spawn(TaskName { kind: "client of a server", index: 0 }, async move {
                        let _ended = stop.run_until_cancelled(connection(stream, service)).await;
                        drop(place);
                    }));
                }
                Err(_error) => env.sleep(FAILURE_WAIT).await,
            }
        }
    };
    let _ended = stop.run_until_cancelled(accepting).await;
}

async fn connection(stream: TcpStream, service: Service) {
    let service = TowerToHyperService::new(service);
    // A client that breaks off has said what it had to say.
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(HEAD_PATIENCE);
    drop(builder.serve_connection(TokioIo::new(stream), service).await);
}
