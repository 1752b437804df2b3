import type { Mutant } from './mutant.ts'

const admin = ['core/host/role/admin-server.test.ts']
const hosts = ['core/host/role/served-hosts.test.ts', 'core/net/loopback-host.test.ts']
const lastResort = ['test/flows/last-resort.test.ts']

/** Defects at the listeners of a process, and in the handling of uncaught errors. */
export const mutants: readonly Mutant[] = [
  {
    name: 'readiness: an outage of a dependency makes the process unready',
    file: 'core/host/role/readiness.ts',
    find: 'return { ready: own.ok && allReached(), checks',
    replace: 'return { ready: own.ok && allReached() && checks.every(({ ok }) => ok), checks',
    tests: ['core/host/role/readiness.test.ts'],
  },
  {
    name: 'readiness: a dependency that never answered does not hold it back',
    file: 'core/host/role/readiness.ts',
    find: '    if (ok) reached.add(name)\n',
    replace: '    reached.add(name)\n',
    tests: ['core/host/role/readiness.test.ts'],
  },
  {
    name: 'the admin port parses the target as a URL',
    file: 'core/host/role/admin-server.ts',
    find: `const [path, query] = target.split('?', 2)`,
    replace: `const { pathname: path, search: query } = new URL(target, 'http://admin')`,
    tests: admin,
    only: 'SEC1',
  },
  {
    name: 'the admin port serves every Host on loopback',
    file: 'core/host/role/admin-server.ts',
    find: 'if (hosts !== undefined && !isServedHost(request.headers.host, hosts))',
    replace: 'if (hosts !== undefined && request.headers.host === undefined)',
    tests: admin,
    only: 'SEC13',
  },
  {
    name: 'the servers of the roles serve every Host on loopback',
    file: 'core/http/server.ts',
    find: '  if (hosts === undefined) return\n',
    replace: '  if (hosts === undefined || hosts.length >= 0) return\n',
    tests: hosts,
    only: 'SEC13',
  },
  {
    name: 'a Host that begins as one of this machine is served',
    file: 'core/net/loopback-host.ts',
    find: String.raw`/^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/`,
    replace: String.raw`/^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])/`,
    tests: hosts,
    only: 'SEC13',
  },
  {
    name: 'the body of /session is not checked',
    file: 'local/landing/landing-routes.ts',
    find: 'const given = readBody(request.body) as Static<typeof sessionBody>',
    replace: 'const given = request.body as Static<typeof sessionBody>',
    tests: ['local/landing/landing.test.ts'],
    only: 'SEC21',
  },
  {
    name: 'a client that hangs up is an unexpected error',
    file: 'core/http/endpoint/request-context.ts',
    find: `return raw.destroyed && !raw.complete ? new Fail('client_closed_request') : error`,
    replace: 'return error',
    tests: ['core/http/hang-up.test.ts'],
    only: 'SEC22',
  },
  {
    name: 'what the parser refuses has no security headers',
    file: 'core/http/problem/broken-request.ts',
    find: '    ...securityHeaders,\n',
    replace: '',
    tests: admin,
    only: 'SEC24',
  },
  {
    name: 'raw heads keep the connection during a drain',
    file: 'core/http/drain-connection.ts',
    find: 'if (draining()) response.shouldKeepAlive = false',
    replace: 'if (draining()) response.shouldKeepAlive = true',
    tests: ['core/http/drain-connection.test.ts'],
    only: 'PODA9',
  },
  {
    name: 'a run is streamed without being awaited while it is waited for',
    file: 'plugins/runs/gateway/gateway-runs.ts',
    find: 'const [ended] = await Promise.all([wait(), streamRun(services, run, 0, { send, signal: over.signal })])',
    replace: `const streaming = streamRun(services, run, 0, { send, signal: over.signal })
    const ended = await wait()
    await streaming`,
    tests: ['plugins/runs/gateway/gateway-runs.test.ts'],
    only: 'PODA1',
  },
  {
    name: 'a spool that fails is an unhandled rejection',
    file: 'plugins/audit/outcomes/write-buffer.ts',
    find: 'writing ??= writeAll()\n      .catch(logSpoolFailure)\n',
    replace: 'writing ??= writeAll()\n',
    tests: ['plugins/audit/outcomes/write-buffer.test.ts'],
    only: 'PODA1',
  },
  {
    name: 'rejections without a handler end the process at once',
    file: 'core/log/fatal-errors.ts',
    find: `  process.on('unhandledRejection', caught('unhandledRejection'))\n`,
    replace: '',
    tests: lastResort,
    only: 'reject',
  },
  {
    name: 'a process that drained after a fatal error exits with 0',
    file: 'core/host/process/run-process.ts',
    find: `return reason === 'fatal' ? exitCodes.failed : exitCodes.ok`,
    replace: 'return exitCodes.ok',
    tests: lastResort,
    only: 'throw',
  },
  {
    name: 'a NATS without its stream is ready',
    file: 'core/host/platform/platform-bus.ts',
    find: `  if ('verify' in bus) await bus.verify({ durables: [] })\n`,
    replace: '',
    tests: ['core/host/process/start.test.ts'],
    only: 'PODA14',
  },
  {
    name: 'a worker makes the stream of a new install',
    file: 'core/messaging/bus/recreate-lost-stream.ts',
    find: '(await isStreamMissing(bus)) && (await published())',
    replace: 'await isStreamMissing(bus)',
    tests: ['core/messaging/bus/recreate-lost-stream.test.ts'],
    only: 'PODA14',
  },
]
