import { afterAll, beforeAll, describe } from 'vitest';
import { chromium, describeWithTool } from '../testkit/toolchain.ts';
import { testAdministration } from './admin-tests.ts';
import { testAccessibility } from './axe-tests.ts';
import { testTableBrowser } from './browser-tests.ts';
import { ConsoleStage } from './console-stage.ts';
import { testFailures } from './failure-tests.ts';
import { testLayout } from './layout-tests.ts';
import { testNewcomer } from './newcomer-tests.ts';
import { testQueries } from './query-tests.ts';
import { testSafety } from './safety-tests.ts';
import { testScrolling } from './scroll-tests.ts';
import { testSheets } from './sheet-tests.ts';
import { testViews } from './view-tests.ts';

// One file, so that one system and one browser serve all of them: to start both takes as long as
// ten tests.
describeWithTool(chromium, 'the console', (program) => {
  let opened: ConsoleStage | undefined;
  beforeAll(async () => {
    opened = await ConsoleStage.open(program);
  });
  afterAll(() => opened?.[Symbol.asyncDispose]());
  const stageOf = (): ConsoleStage => {
    if (opened === undefined) throw new Error('The system has not started.');
    return opened;
  };

  describe('signing in and queries', () => {
    testQueries(stageOf);
  });
  describe('tables beside the editor', () => {
    testTableBrowser(stageOf);
  });
  describe('the first ten minutes', () => {
    testNewcomer(stageOf);
  });
  describe('queries in tabs', () => {
    testSheets(stageOf);
  });
  describe('a result by its heads', () => {
    testViews(stageOf);
  });
  describe('scrolling', () => {
    testScrolling(stageOf);
  });
  describe('results, tables, tasks, restream, cluster', () => {
    testAdministration(stageOf);
  });
  describe('where things are on the screen', () => {
    testLayout(stageOf);
  });
  describe('safe, and by keys alone', () => {
    testSafety(stageOf);
  });
  describe('for everybody', () => {
    testAccessibility(stageOf);
  });
  describe('when something fails', () => {
    testFailures(stageOf);
  });
});
