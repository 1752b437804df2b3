import { defineCommand } from '#core/plugin/command.ts'

/** `mesh download-fixture`. */
export const downloadFixture = defineCommand({
  words: 'download-fixture',
  summary: 'download the recording of a run from the object store',
  examples: [
    ['mesh download-fixture 019a0000-0000-7000-8000-000000000000', 'writes <run-id>.fixture.json'],
    ['mesh download-fixture 019a0000-0000-7000-8000-000000000000 -o run.json', 'writes run.json'],
  ],
  description: `Reads every part of the recording of a run from the object store, merges them, and writes one file of mode 0600: it has whole prompts
and results of tools. A recording that is not complete is written too, with a line on standard error.

Reads OBJECT_STORE_ADDR, OBJECT_STORE_ACCESS_KEY, OBJECT_STORE_SECRET_KEY, OBJECT_STORE_BUCKET, OBJECT_STORE_REGION and OBJECT_STORE_TLS, as
the state role does.`,
  options: {
    run: { positional: true, value: 'RUN_ID', help: 'id of the run' },
    output: { value: 'FILE', short: 'o', help: 'the file to write; default: RUN_ID.fixture.json in this folder' },
  },
  exitCodes: { 1: 'no id of a run, or no object store', 2: 'no recording, or it could not be read or written' },
  load: async () => (await import('./download/download-fixture.ts')).downloadFixtureOf,
})
