import { boolean, optionalSetting, path, setting } from '@quire/core/settings';

/** Encrypted connections. */
export const tls = {
  certificateFile: optionalSetting({
    key: 'engine.tls.certificate.file',
    kind: path,
    requires: ['engine.tls.key.file'],
    meaning:
      'A file with the certificate of this server in PEM, and its intermediate certificates. With it, services accept only ' +
      'HTTPS. The file may be replaced while they run.',
  }),
  keyFile: optionalSetting({
    key: 'engine.tls.key.file',
    kind: path,
    requires: ['engine.tls.certificate.file'],
    meaning: 'A file with the private key of that certificate in PEM.',
  }),
  isRequired: setting({
    key: 'engine.tls.required',
    kind: boolean,
    default: 'false',
    meaning:
      'Requires a certificate for services that listen beyond loopback, for HTTP and Arrow Flight SQL alike. If false, a server without one ' +
      'logs a warning and starts, because a proxy or balancer in front of it may terminate TLS.',
  }),
  authoritiesFile: optionalSetting({
    key: 'engine.tls.ca.file',
    kind: path,
    meaning:
      'A file with CA certificates in PEM: brokers that are called over HTTPS must have a certificate from one of them. Without it, those ' +
      'that Node.js trusts apply.',
  }),
};
