import type { Mutant } from './mutant.ts'

const admission = ['core/http/admission.test.ts']

/** Defects in admission (ADR 0023): authentication before the body, bounds per caller, the event feed. */
export const mutants: readonly Mutant[] = [
  {
    name: 'a bearer is authenticated after the body',
    file: 'core/http/server.ts',
    find: 'if (!isPublic(request)) await admit.authenticate(request)',
    replace: 'if (!isPublic(request) && request.routeOptions.bodyLimit === 0) await admit.authenticate(request)',
    tests: admission,
    only: 'SEC4',
  },
  {
    name: 'a gated route answers before the bearer is authenticated',
    file: 'core/http/server.ts',
    find: 'if (!isPublic(request)) await admit.authenticate(request)',
    replace: `if (request.is404) throw unknownPath(services, request)
    if (!isPublic(request)) await admit.authenticate(request)`,
    tests: ['core/http/order-of-checks.test.ts'],
    only: 'SEC29',
  },
  {
    name: 'a rejection is not cached',
    file: 'core/cluster/token-cache.ts',
    find: 'if (options.isRejection?.(error) === true)',
    replace: 'if (options.isRejection === undefined)',
    tests: ['core/cluster/caller.test.ts'],
    only: 'SEC4',
  },
  {
    name: 'an unfinished body keeps its connection',
    file: 'core/http/body-deadline.ts',
    find: 'const allowedMs = (seconds +',
    replace: 'const allowedMs = (1000 * seconds +',
    tests: admission,
    only: 'F3',
  },
  {
    name: 'bytes that arrive do not extend the deadline of a body',
    file: 'core/http/body-deadline.ts',
    find: '(raw.socket.bytesRead - before) / BYTES_A_SECOND',
    replace: '0 / BYTES_A_SECOND + 0 * before',
    tests: admission,
    only: 'slowly',
  },
  {
    name: 'one user may take every place',
    file: 'core/http/shares.ts',
    find: `if (mine > bounds.perOwner) return 'owner'`,
    replace: `if (mine > bounds.total) return 'owner'`,
    tests: admission,
    only: 'F4',
  },
  {
    name: 'a wait for a run counts as a request',
    file: 'core/http/admission.ts',
    find: 'isWait(request) ? waits : requests',
    replace: 'isWait(request) && limits.underWay === 0 ? waits : requests',
    tests: admission,
    only: 'SEC5',
  },
  {
    name: 'an open event stream keeps its place',
    file: 'core/http/event-stream.ts',
    find: '  stateOf(request).leavePlace?.()\n',
    replace: '',
    tests: admission,
    only: 'event stream',
  },
  {
    name: 'a chunked body is not counted',
    file: 'core/http/body-bytes.ts',
    find: `if (request.raw.headers['transfer-encoding'] !== undefined) growing.set(request, held)`,
    replace: `if (request.raw.headers['transfer-encoding'] === '') growing.set(request, held)`,
    tests: admission,
    only: 'bytes of bodies',
  },
  {
    name: 'users are counted by address',
    file: 'core/http/rate-limit.ts',
    find: 'if (stateOf(request).username === undefined) return countAddress(request)',
    replace: 'if (request.ip !== undefined) return countAddress(request)',
    tests: admission,
    only: 'SEC28',
  },
  {
    name: 'an address above its limit is authenticated again',
    file: 'core/http/admission.ts',
    find: '    rate.refuseBlocked(request)\n',
    replace: '',
    tests: admission,
    only: 'SEC28',
  },
]
