import { createPrivateKey, X509Certificate } from 'node:crypto';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import { isQuireError, QuireError } from '@quire/core';

/**
 * A certificate, with those of the authorities between it and a root, and its private key, both in
 * PEM.
 */
export interface TlsCertificate {
  readonly certificate: string;
  readonly key: string;
}

/**
 * What a TLS server is given to show this certificate.
 *
 * @throws INVALID_SETTING when one of the two is not in PEM, or the key is not that of the
 * certificate
 */
export function secureContextOf({ certificate, key }: TlsCertificate): SecureContextOptions {
  const options: SecureContextOptions = { cert: certificate, key, minVersion: 'TLSv1.2' };
  try {
    // A context takes empty texts, as of files that are just being written: looked at first.
    if (!new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key))) {
      throw noPair('they do not fit together');
    }
    createSecureContext(options);
  } catch (error) {
    if (isQuireError(error)) throw error;
    // Not as its cause: nothing of a key may get into a log.
    throw noPair(error instanceof Error && 'code' in error ? String(error.code) : 'unknown error');
  }
  return options;
}

function noPair(reason: string): QuireError {
  return new QuireError(
    'INVALID_SETTING',
    `The files that engine.tls.certificate.file and engine.tls.key.file name are not a certificate and its private key in PEM (${reason}).`,
  );
}
