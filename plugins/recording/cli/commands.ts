import { defineOfflineCommand } from '#cli/contract/command.ts'

/** `meshctl download-fixture`. */
export const downloadFixture = defineOfflineCommand({
  words: 'download-fixture',
  summary: 'download the recording of a run from the object store',
  examples: [
    ['download-fixture 019a0000-0000-7000-8000-000000000000', 'writes <run-id>.fixture.json'],
    ['download-fixture 019a0000-0000-7000-8000-000000000000 -o run.json', 'writes run.json'],
  ],
  description: `Reads every part of the recording of a run from the object store, merges them, and writes one file of mode 0600: it contains full prompts
and tool results. A recording that is not complete is written too, with a line on standard error.

Reads OBJECT_STORE_ADDR, OBJECT_STORE_ACCESS_KEY, OBJECT_STORE_SECRET_KEY, OBJECT_STORE_BUCKET, OBJECT_STORE_REGION and OBJECT_STORE_TLS, as
the state role does.`,
  options: {
    run: { positional: true, value: 'RUN_ID', help: 'id of the run' },
    output: { value: 'FILE', short: 'o', help: 'the file to write; default: RUN_ID.fixture.json in this folder' },
  },
  exitCodes: { 1: 'no id of a run, or no object store', 2: 'no recording, or it could not be read or written' },
  load: async () => (await import('./download/download-fixture.ts')).downloadFixtureOf,
})

/** `meshctl replay-serve`. */
export const replayServe = defineOfflineCommand({
  words: 'replay-serve',
  summary: 'serve a recording in place of models and tools',
  examples: [
    ['replay-serve run.fixture.json', 'serves a merged recording on port 4000'],
    ['replay-serve parts/ -p 0', 'merges the parts of a folder, and serves them on any free port'],
  ],
  description: `Answers the calls of an agent from the recording of a run: model calls below /v1, tool calls of MCP clients at /mcp/NAMESPACE/NAME of
each recorded server. It listens on 127.0.0.1 until SIGTERM or SIGINT, and then names on standard error what differed from the recording.

A call may have other texts than the recorded one. Another order, tool, set of arguments or shape of a request is a difference.`,
  options: {
    fixture: { positional: true, value: 'FIXTURE_PATH', help: 'a merged recording (JSON), or a folder with its parts' },
    port: { value: 'PORT', short: 'p', default: '4000', help: 'port on 127.0.0.1; 0: any free one', parse: toPort },
  },
  exitCodes: {
    0: 'every recorded call was made as recorded',
    1: 'the recording could not be read or served',
    2: 'a call was missing, extra, in another order or different',
  },
  load: async () => (await import('./replay/replay-serve.ts')).replayServeOf,
})

function toPort(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) throw new Error('must be a port: 0 to 65535')
  return Number(text)
}
