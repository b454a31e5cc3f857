import { createPrivateKey, X509Certificate } from 'node:crypto';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import { isQuireError, QuireError } from '@quire/core';

/** A certificate with its intermediate certificates, and its private key, both in PEM. */
export interface TlsCertificate {
  readonly certificate: string;
  readonly key: string;
}

/**
 * Returns the TLS options for this certificate.
 *
 * @throws INVALID_SETTING when one of the two is not in PEM, or the key does not belong to the
 *   certificate
 */
export function secureContextOf({ certificate, key }: TlsCertificate): SecureContextOptions {
  const options: SecureContextOptions = { cert: certificate, key, minVersion: 'TLSv1.2' };
  try {
    // A context accepts empty texts, such as those of files that are being written, so they are
    // checked first.
    if (!new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key))) {
      throw noPair('they do not match');
    }
    createSecureContext(options);
  } catch (error) {
    if (isQuireError(error)) throw error;
    // The error is not attached as the cause, because no part of a key may be logged.
    throw noPair(error instanceof Error && 'code' in error ? String(error.code) : 'unknown error');
  }
  return options;
}

function noPair(reason: string): QuireError {
  return new QuireError(
    'INVALID_SETTING',
    `The files named by engine.tls.certificate.file and engine.tls.key.file are not a certificate and its private key in PEM (${reason}).`,
  );
}
