import { boolean, optionalSetting, path, setting } from '@quire/core/settings';

/** Encrypted connections. */
export const tls = {
  certificateFile: optionalSetting({
    key: 'engine.tls.certificate.file',
    kind: path,
    requires: ['engine.tls.key.file'],
    meaning:
      'A file with the certificate of this server in PEM, and those of the authorities between it and a root. With it, services speak HTTPS ' +
      'and nothing else. What is in the file may change while they run.',
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
      'Whether services that listen beyond loopback must have a certificate, for HTTP and Arrow Flight SQL alike. Without it a server that has none ' +
      'says so in its log and starts, as a proxy or balancer in front of it may end TLS.',
  }),
  authoritiesFile: optionalSetting({
    key: 'engine.tls.ca.file',
    kind: path,
    meaning:
      'A file with certificates of authorities in PEM: brokers that are called over HTTPS must have one of theirs. Without it, those that ' +
      'Node.js trusts count.',
  }),
};
