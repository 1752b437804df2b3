import type { Mutant } from './mutant.ts'

const bearer = ['core/http/bearer.test.ts']
const input = ['core/http/input.test.ts']

/** Defects in core/http: names, bearers, bodies, streams, cursors. */
export const mutants: readonly Mutant[] = [
  {
    name: 'path names are not parsed',
    file: 'core/http/params.ts',
    find: 'const parsed = names[field]?.(field, text) ?? text',
    replace: 'const parsed = text',
    tests: input,
    only: 'K5',
  },
  {
    name: 'the first of two Authorization headers wins',
    file: 'core/http/auth.ts',
    find: 'given.length === 1 ?',
    replace: 'given.length >= 1 ?',
    tests: bearer,
    only: 'D3',
  },
  {
    name: 'a token in the query string is let through',
    file: 'core/http/auth.ts',
    find: 'if (token === undefined || hasTokenInQuery(url))',
    replace: 'if (token === undefined)',
    tests: bearer,
    only: 'D3',
  },
  {
    name: 'a query parameter may come twice',
    file: 'core/http/query.ts',
    find: `    if (Object.hasOwn(query, key)) throw refuse([{ pointer, detail: 'is given more than once' }])\n`,
    replace: '',
    tests: input,
    only: 'K7',
  },
  {
    name: 'bodies may be of any depth',
    file: 'core/http/body.ts',
    find: 'if (++depth > limit) return true',
    replace: 'depth++',
    tests: input,
    only: 'X3',
  },
  {
    name: '__proto__ may stand in a body',
    file: 'core/http/body.ts',
    find: `  if (mayHaveProtoKey(body) && hasProtoKey(value)) throw malformed('has a key __proto__')\n`,
    replace: '',
    tests: input,
    only: 'X3',
  },
  {
    name: 'a client that never reads is not cut',
    file: 'core/http/event-stream.ts',
    find: 'if (raw.writableLength <= MAX_BEHIND) return drain()',
    replace: 'if (raw.writableLength <= MAX_BEHIND * 1000) return drain()',
    tests: ['core/http/limits.test.ts'],
    only: 'X1',
  },
  {
    name: 'a cursor opens a list with another filter',
    file: 'core/http/cursors.ts',
    find: 'if (bound !== digest(purpose, filter)) throw refused()',
    replace: 'if (typeof bound !== "string") throw refused()',
    tests: ['core/store/keyset.test.ts', 'core/http/resource-routes.test.ts'],
  },
  {
    name: 'a cursor is not verified',
    file: 'core/http/cursors.ts',
    find: 'if (given.length !== expected.length || !timingSafeEqual(given, expected)) throw refused()',
    replace: 'if (given.length !== expected.length) throw refused()',
    tests: ['core/store/keyset.test.ts', 'core/http/resource-routes.test.ts'],
  },
  {
    name: 'an exactly full last page has a cursor',
    file: 'core/http/page.ts',
    find: 'rows.length > limit ?',
    replace: 'rows.length >= limit ?',
    tests: ['plugins/runs/lists.test.ts'],
    only: 'CON8',
  },
  {
    name: 'a full page of permitted namespaces has a cursor at the end',
    file: 'core/http/resource-list.ts',
    find: 'if (room === 0 && page.items.length > 0)',
    replace: 'if (room === 0)',
    tests: ['core/http/resource-routes.test.ts'],
    only: 'CON8',
  },
  {
    name: 'a test file exits before its results are read',
    file: 'scripts/test/flush-on-exit.ts',
    find: "process.stdout.write('', () => closed())",
    replace: 'closed()',
    tests: ['scripts/test/flush-on-exit.test.ts'],
  },
]
