import assert from 'node:assert/strict'
import test from 'node:test'
import { toJsonLine, toText } from './announcement.ts'
import { toShell } from './terminal/print-env.ts'
import { tryCommands } from './terminal/try-commands.ts'
import { movedLine } from './terminal/ports.ts'

const page = {
  url: 'http://127.0.0.1:8080',
  gatewayUrl: 'http://127.0.0.1:4000',
  adminUrl: 'http://127.0.0.1:8081',
  tokensFile: '/x/tokens.json',
  kubeconfig: '/x/kubeconfig',
  demo: true,
}
const others = {
  dataDir: '/d',
  code: 'code',
  tokens: { admin: 'a', operator: 'o', developer: 'd', viewer: 'v', 'other-tenant': 't' },
  moved: [],
}

test('R2-UX-15: without the demo the announcement has no commands for its agents', () => {
  const facts = { ...page, demo: false }
  const commands = tryCommands(facts).map(({ what, command }) => `${what}\n${command}`)
  for (const one of [...commands, toText({ ...facts, ...others })]) assert.doesNotMatch(one, /demo|careful/)
  assert.match(commands.join('\n'), /api\/agents [^]*"name": "hello"[^]*"namespace": "default", "name": "hello"/)
})

test('R2-UX-29: commands of the announcement define no function of mesh env', () => {
  const functionsIn = (text: string): string[] => [...text.matchAll(/^(\w+)\(\)/gm)].map(([, name = '']) => name)
  const [{ command } = { command: '' }] = tryCommands(page)
  const ofEnv = functionsIn(toShell({ url: '', gatewayUrl: '', adminUrl: '', token: '', kubeconfig: '' }))
  assert.deepEqual(ofEnv, ['api'])
  assert.deepEqual(functionsIn(command), ['token', 'api_as'])
})

test('R2-UX-6: the announcement offers to connect a real model', () => {
  assert.match(toText({ ...page, ...others }), /docs\/how-to\/connect-a-model\.md/)
})

test('UXM18, UXL7: admin address, moved ports, settings file and a damaged journal are announced', () => {
  const cut = { file: '/d/objects.journal', records: 7, cutBytes: 90, cutRecords: 3, kept: '/d/objects.journal.torn' }
  const started = {
    ...page,
    dataDir: '/d',
    code: 'code',
    tokens: { admin: 'a', operator: 'o', developer: 'd', viewer: 'v', 'other-tenant': 't' },
    moved: [{ name: 'bff', wanted: 8080, port: 44831 }],
    settingsFile: '/w/mesh.yaml',
    journalCut: cut,
  } as const
  const line = JSON.parse(toJsonLine(started, 1)) as Record<string, unknown>
  assert.deepEqual(
    [line['adminUrl'], line['settingsFile'], line['journalCut']],
    [page.adminUrl, started.settingsFile, cut],
  )
  const text = toText(started)
  for (const said of [
    '8080 is taken, so the API is on 44831 (--port chooses)',
    `health          ${page.adminUrl}/readyz?verbose`,
    'settings        /w/mesh.yaml',
    '7 records were read; a damaged record and 3 whole ones behind it (90 bytes)',
    'kept in /d/objects.journal.torn',
  ])
    assert.ok(text.includes(said), text)
  assert.match(
    movedLine({ name: 'admin', wanted: 8081, port: 5 }),
    /^8081 is taken, .* on 5 \(MESH_ADMIN_PORT chooses\)$/,
  )
})
