import type { Mutant } from './mutant.ts'

/** Defects of responses: what an object shows, how a body ends, and what a client of a refused body gets. */
export const mutants: readonly Mutant[] = [
  {
    name: 'a list passes managedFields through',
    file: 'core/http/resource/resource-list.ts',
    find: 'call.query.managedFields === true ? list.items : cutManagedFields(list.items)',
    replace: 'list.items',
    tests: ['core/http/resource/resource-routes.test.ts'],
    only: 'R2-UX-20',
  },
  {
    name: 'an object passes managedFields through',
    file: 'core/http/reply/send-reply.ts',
    find: 'wantsAll ? result : withoutManagedFields(result)',
    replace: 'result',
    tests: ['core/http/resource/resource-routes.test.ts'],
    only: 'R2-UX-20',
  },
  {
    name: 'managedFields of a spec are cut',
    file: 'core/http/reply/managed-fields.ts',
    find: 'depth === 2 && isInMetadata && isKey',
    replace: 'isKey',
    tests: ['core/http/reply/managed-fields.test.ts'],
    only: 'R2-UX-20',
  },
  {
    name: 'a quote in managedFields ends their text',
    file: 'core/http/reply/managed-fields.ts',
    find: '    if (byte === BACKSLASH) next++\n',
    replace: '',
    tests: ['core/http/reply/managed-fields.test.ts'],
    only: 'R2-UX-20',
  },
  {
    name: 'a list has no final newline',
    file: 'core/http/reply/raw-list.ts',
    find: '(nextCursor)}}\\n`',
    replace: '(nextCursor)}}`',
    tests: ['core/http/reply/json-line.test.ts'],
    only: 'R2-UX-21',
  },
  {
    name: 'a response has no final newline',
    file: 'core/http/reply/json-line.ts',
    find: 'return `${JSON.stringify(value)}\\n`',
    replace: 'return JSON.stringify(value)',
    tests: ['core/http/reply/json-line.test.ts'],
    only: 'R2-UX-21',
  },
  {
    name: 'the refusal of a broken request has no final newline',
    file: 'core/http/problem/broken-request.ts',
    find: 'retryable: false })}\\n`',
    replace: 'retryable: false })}`',
    tests: ['core/http/reply/json-line.test.ts'],
    only: 'R2-UX-21',
  },
  {
    name: 'a response of a port has no final newline',
    file: 'launcher/http/listener.ts',
    find: '`${JSON.stringify(body)}\\n`',
    replace: 'JSON.stringify(body)',
    tests: ['launcher/http/listener.test.ts'],
    only: 'R2-UX-21',
  },
]
