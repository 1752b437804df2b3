import assert from 'node:assert/strict'
import test from 'node:test'
import { buildServer } from '#core/http/testing/build-server.ts'
import { conceal } from '#core/log/secrets.ts'
import { toJsonLine, toText } from './announce.ts'
import { tryCommands } from './landing-commands.ts'
import { landingPage, landingStyle } from './landing-page.ts'
import { createOneTimeCode, landingRoutes } from './landing.ts'
import { movedLine } from './ports.ts'
import { createTerminal, terminalPlugin } from './terminal.ts'

const page = {
  url: 'http://127.0.0.1:8080',
  gatewayUrl: 'http://127.0.0.1:4000',
  adminUrl: 'http://127.0.0.1:8081',
  tokensFile: '/x/tokens.json',
  kubeconfig: '/x/kubeconfig',
}

test('SEC21: a malformed body of /session is refused with the name of its field, and a code is valid once', async (t) => {
  const code = createOneTimeCode('the-token')
  const { app, lines } = await buildServer(t, [{ endpoints: [], routes: landingRoutes(code, page) }])
  const post = async (body: string) => {
    const headers = { 'content-type': 'application/json' }
    const answer = await app.inject({ method: 'POST', url: '/api/session', headers, body })
    return { status: answer.statusCode, body: answer.json<{ token?: string; errors?: { pointer: string }[] }>() }
  }
  const refused = [
    ['{"code":{"toString":1}}', '/code'],
    ['{"code":[]}', '/code'],
    ['{"code":null}', '/code'],
    ['{"code":1}', '/code'],
    [`{"code":"${'x'.repeat(10_000)}"}`, '/code'],
    ['{}', '/code'],
    [`{"code":"x","more":1}`, '/more'],
    ['[]', ''],
    ['null', ''],
    ['""', ''],
  ] as const
  for (const [body, pointer] of refused) {
    const answer = await post(body)
    assert.equal(answer.status, 400, body)
    assert.equal(answer.body.errors?.[0]?.pointer, pointer, body)
  }
  assert.equal((await post('{"code":"wrong"}')).status, 404)
  assert.deepEqual((await post(JSON.stringify({ code: code.code }))).body, { token: 'the-token' })
  assert.equal((await post(JSON.stringify({ code: code.code }))).status, 404)
  assert.ok(!lines.some((line) => line.includes('failed unexpectedly')))
})

test('SEC24: the policy of the page forbids a base URL and forms', async (t) => {
  const routes = landingRoutes(createOneTimeCode('x'), page)
  const { app } = await buildServer(t, [{ endpoints: [], routes }])
  const policy = String((await app.inject({ url: '/api/' })).headers['content-security-policy'])
  for (const directive of ["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'", "default-src 'none'"])
    assert.ok(policy.includes(directive), policy)
})

test('UXM18: the page shows each command completely, escaped, with a button, and all links', () => {
  const html = landingPage({ ...page, tokensFile: "/it's <here>/tokens.json" })
  const commands = tryCommands(page)
  assert.equal(html.match(/<pre>/g)?.length, commands.length)
  assert.equal(html.match(/<button type="button"/g)?.length, commands.length)
  assert.ok(html.includes("MESH='/it'\\''s &lt;here&gt;'") && !html.includes('<here>'))
  for (const text of [
    'href="/docs"',
    'http://127.0.0.1:4000/v1',
    'href="http://127.0.0.1:8081/metrics"',
    'other-tenant',
  ])
    assert.ok(html.includes(text), text)
  assert.match(html, /api developer http:\/\/127\.0\.0\.1:8080\/api\/runs\/RUN_ID\/resume/)
  assert.match(landingStyle, /pre-wrap/)
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

test('UXM18: a crash and a failed run are one line, bounded, without control characters, at most one in 30 s', async () => {
  const lines: string[] = []
  let now = 0
  const terminal = createTerminal(
    (line) => lines.push(line),
    () => now,
  )
  conceal('a-secret-of-the-process')
  const crash = { namespace: 'demo', name: 'py', exitCode: 127 }
  terminal.crashed({
    ...crash,
    lastLine: `\u001b[2J pyhton3: not found\r a-secret-of-the-process ${'x'.repeat(1 << 20)}`,
  })
  terminal.crashed({ ...crash, name: 'other', lastLine: undefined })
  for (let times = 0; times < 5; times++) terminal.crashed(crash)
  now = 30_000
  terminal.crashed({ ...crash, lastLine: '{"level":"error","msg":"again"}' })
  const [consumer] = terminalPlugin(terminal).consumers?.({ agents: new Map() }, { role: 'worker' } as never) ?? []
  const event = (type: string, data: object) => ({ type, data, subject: { namespace: 'demo' } })
  const events = [
    event('dev.mesh.runs.created.v1', { runId: 'r-1', agent: { name: 'py' } }),
    event('dev.mesh.runs.failed.v1', { runId: 'r-1', failReason: 'agent_error' }),
    event('dev.mesh.runs.failed.v1', { runId: 'r-2', failReason: 'lost_worker' }),
  ]
  assert.deepEqual(consumer?.types, [events[0]?.type, events[1]?.type])
  await consumer?.handle(events as never, undefined as never)
  assert.ok(
    lines.every((line) => line.length < 300 && !/\p{Cc}|a-secret/u.test(line)),
    lines.join('\n'),
  )
  assert.match(lines[0] ?? '', /^agent demo\/py exited with code 127: \[2J pyhton3: not found /)
  assert.deepEqual(lines.slice(1), [
    'agent demo/other exited with code 127; its log is empty',
    'agent demo/py exited with code 127: again (5 more like it since the last line)',
    'run r-1 of agent demo/py failed: agent_error',
    'run r-2 of agent (unknown) in demo failed: lost_worker',
  ])
})
