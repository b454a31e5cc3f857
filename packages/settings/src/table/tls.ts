import { optionalSetting, path } from '@quire/core/settings';

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
  authoritiesFile: optionalSetting({
    key: 'engine.tls.ca.file',
    kind: path,
    meaning:
      'A file with certificates of authorities in PEM: brokers that are called over HTTPS must have one of theirs. Without it, those that ' +
      'Node.js trusts count.',
  }),
};
