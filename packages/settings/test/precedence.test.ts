import { describe, expect, test } from 'vitest';
import { formatSettingSource } from '@quire/settings';
import { messagesOf, parse, settingsOf, viewOf } from './settings-builder.ts';

describe('where values come from', () => {
  const key = 'engine.broker.query.page.size';
  const file = `# the page\n${key} = 1`;
  const environment = { ENGINE_BROKER_QUERY_PAGE_SIZE: '2' };
  const overrides = [`${key}=3`];

  test.each([
    [{ file }, '1', 'conf/quire.properties:2'],
    [{ file, environment }, '2', 'environment ENGINE_BROKER_QUERY_PAGE_SIZE'],
    [{ file, environment, overrides }, '3', '--set'],
    [{ file, overrides }, '3', '--set'],
    [{ overrides: [...overrides, ` ${key} = 4 `] }, '4', '--set'],
  ])('the last of default, file, environment and overrides counts: %j', (given, value, place) => {
    expect(
      viewOf(given).map((entry) => [entry.key, entry.value, formatSettingSource(entry.source)]),
    ).toEqual([[key, value, place]]);
  });

  test('the default counts when nothing is given, and says so', () => {
    const outcome = parse({});
    expect(outcome.ok && outcome.view.find((entry) => entry.key === key)).toEqual({
      key,
      value: '10000',
      source: { kind: 'default' },
      isLive: true,
    });
    expect(formatSettingSource({ kind: 'default' })).toBe('default');
  });

  test('a wrong value that is overridden does not matter', () => {
    expect(messagesOf({ file: `${key} = none`, overrides })).toEqual([]);
  });

  test('the name of the broker is its bind host until it is set', () => {
    expect(settingsOf({ overrides: ['engine.bind.host=10.0.0.7'] }).server.brokerHostName).toBe(
      '10.0.0.7',
    );
    expect(
      settingsOf({ overrides: ['engine.bind.host=10.0.0.7', 'engine.broker.host.name=b7'] }).server
        .brokerHostName,
    ).toBe('b7');
  });

  test('an empty value clears a setting without default', () => {
    const region = 'engine.broker.storage.factory.s3.region';
    expect(
      settingsOf({ file: `${region} = eu-central-1`, overrides: [`${region}=`] }).backends['s3']?.[
        'region'
      ],
    ).toBeUndefined();
  });

  test('blanks around a value do not count', () => {
    expect(
      settingsOf({ file: `${key} =  7 \t`, environment: { ENGINE_DUCKDB_THREADS: ' 2 ' } }),
    ).toMatchObject({
      results: { pageRowCount: 7 },
      engines: { embedded: { threadCount: 2 } },
    });
  });
});

describe('relative paths', () => {
  test('relative paths start from the directory of the file that holds them', () => {
    const file =
      'engine.table.cars.path = ../data/cars.json\nengine.broker.pagination.file.data.dir = results';
    const settings = settingsOf({ file });
    expect(settings.tables[0]?.path).toBe('/srv/quire/data/cars.json');
    expect(settings.backends['file']?.location).toEqual({
      scheme: 'file',
      text: '/srv/quire/conf/results',
    });
  });

  test('relative paths start from the working directory in the environment and in overrides', () => {
    const settings = settingsOf({
      environment: { ENGINE_TABLE_CARS_PATH: 'cars.json' },
      overrides: ['engine.broker.pagination.temp.dir=./temp'],
    });
    expect(settings.tables[0]?.path).toBe('/srv/quire/cars.json');
    expect(settings.store.tempDir).toBe('/srv/quire/temp');
  });

  test.each([
    ['file:///var/lib/r%C3%A9sultats', { scheme: 'file', text: '/var/lib/résultats' }],
    ['s3://bucket/some/prefix', { scheme: 's3', text: 's3://bucket/some/prefix' }],
    ['gs://bucket', { scheme: 'gs', text: 'gs://bucket' }],
  ])('relative paths are not meant by the data directory %s', (location, expected) => {
    expect(
      settingsOf({ overrides: [`engine.broker.pagination.file.data.dir=${location}`] }).backends[
        'file'
      ]?.location,
    ).toEqual(expected);
  });
});
