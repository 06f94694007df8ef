//! TLS without a C compiler, where the processor can do it.

/// What connections are encrypted with, or why there is nothing.
#[cfg(all(feature = "https", any(target_arch = "x86_64", target_arch = "aarch64")))]
fn config() -> Result<ureq::tls::TlsConfig, &'static str> {
    use std::sync::Arc;
    if !processor_suffices() {
        return Err("this processor lacks instructions that the built-in TLS needs (AES and AVX2)");
    }
    let builder = ureq::tls::TlsConfig::builder()
        .provider(ureq::tls::TlsProvider::Rustls)
        .unversioned_rustls_crypto_provider(Arc::new(rustls_graviola::default_provider()));
    match own_roots()? {
        Some(roots) => Ok(builder.root_certs(roots).build()),
        None => Ok(builder.build()),
    }
}

/// The authorities that `$SSL_CERT_FILE` names, as behind a company's proxy; without it, those of Mozilla are built in.
#[cfg(all(feature = "https", any(target_arch = "x86_64", target_arch = "aarch64")))]
fn own_roots() -> Result<Option<ureq::tls::RootCerts>, &'static str> {
    let Some(path) = std::env::var_os("SSL_CERT_FILE").filter(|path| !path.is_empty()) else { return Ok(None) };
    let bytes = std::fs::read(path).map_err(|_| "the file that SSL_CERT_FILE names cannot be read")?;
    let certificates = ureq::tls::parse_pem(&bytes).filter_map(|item| match item {
        Ok(ureq::tls::PemItem::Certificate(certificate)) => Some(certificate),
        _ => None,
    });
    let certificates: Vec<_> = certificates.collect();
    if certificates.is_empty() {
        return Err("the file that SSL_CERT_FILE names holds no certificate");
    }
    Ok(Some(ureq::tls::RootCerts::from(certificates)))
}

/// A client on its way.
type Builder = ureq::config::ConfigBuilder<ureq::typestate::AgentScope>;

/// Gives a client TLS; an error if there is none and it is `needed`.
#[cfg(all(feature = "https", any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(super) fn add(builder: Builder, needed: bool) -> Result<Builder, &'static str> {
    match config() {
        Ok(config) => Ok(builder.tls_config(config)),
        Err(reason) if needed => Err(reason),
        Err(_) => Ok(builder),
    }
}

/// Gives a client TLS; an error if there is none and it is `needed`.
#[cfg(not(all(feature = "https", any(target_arch = "x86_64", target_arch = "aarch64"))))]
pub(super) fn add(builder: Builder, needed: bool) -> Result<Builder, &'static str> {
    if needed {
        Err("this build cannot speak https (cargo feature `https`, on x86-64 and aarch64)")
    } else {
        Ok(builder)
    }
}

/// The provider stops the program on a processor that it cannot use, so ask first.
#[cfg(all(feature = "https", target_arch = "x86_64"))]
fn processor_suffices() -> bool {
    use std::arch::is_x86_feature_detected as has;
    has!("aes")
        && has!("ssse3")
        && has!("avx")
        && has!("avx2")
        && has!("adx")
        && has!("bmi1")
        && has!("bmi2")
        && has!("pclmulqdq")
}

/// The provider stops the program on a processor that it cannot use, so ask first.
#[cfg(all(feature = "https", target_arch = "aarch64"))]
fn processor_suffices() -> bool {
    use std::arch::is_aarch64_feature_detected as has;
    has!("neon") && has!("aes") && has!("pmull") && has!("sha2")
}
