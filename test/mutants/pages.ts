import type { Mutant } from './mutant.ts'

const docs = ['core/http/openapi/docs-page.test.ts']

/** Defects in the public pages: policy, validators and methods of /docs, /openapi.json and /. */
export const mutants: readonly Mutant[] = [
  {
    name: 'the nonce of /docs is always the same',
    file: 'core/http/openapi/routes.ts',
    find: "randomBytes(16).toString('base64url')",
    replace: "'AAAAAAAAAAAAAAAAAAAAAA'",
    tests: docs,
    only: 'nonce',
  },
  {
    name: '/docs may run inline scripts',
    file: 'core/http/openapi/docs-page.ts',
    find: "script-src 'self';",
    replace: "script-src 'self' 'unsafe-inline';",
    tests: docs,
    only: 'nonce',
  },
  {
    name: '/docs may send what a reader typed to other hosts',
    file: 'core/http/openapi/docs-page.ts',
    find: "connect-src 'self'",
    replace: 'connect-src *',
    tests: docs,
    only: 'nonce',
  },
  {
    name: 'any entity tag validates a file',
    file: 'core/http/reply/etag.ts',
    find: "return tags.includes('*') || tags.includes(toOpaque(tag))",
    replace: "return tags.includes('*') || tags.length > 0",
    tests: docs,
    only: 'ETag',
  },
  {
    name: 'clients that refuse gzip get it',
    file: 'core/http/reply/static-file.ts',
    find: String.raw`/^\s*q\s*=\s*0(?:\.0*)?\s*$/i`,
    replace: '/^never$/',
    tests: docs,
    only: 'compressed',
  },
  {
    name: 'a public path has no 405',
    file: 'core/http/reply/public-route.ts',
    find: 'throw notAllowed(allow)',
    replace: 'return',
    tests: docs,
    only: 'X5',
  },
  {
    name: 'the OpenAPI document shows hidden routes',
    file: 'core/http/openapi/document.ts',
    find: "catalog.filter(({ wiring }) => wiring !== 'hidden').toSorted",
    replace: 'catalog.toSorted',
    tests: docs,
    only: 'hidden',
  },
  {
    name: 'the script of /docs is extracted in the process that serves it',
    file: 'core/http/openapi/scalar-script.ts',
    find: 'return (await promisify(execFile)(process.execPath, [program], options)).stdout',
    replace: 'return (await import(program)).extractScalar()',
    tests: docs,
    only: '10 MB',
  },
  {
    name: 'the console may be framed',
    file: 'core/http/console/routes.ts',
    find: "frame-ancestors 'none'",
    replace: "frame-ancestors 'self'",
    tests: ['core/http/console/routes.test.ts'],
    only: 'SEC24',
  },
  {
    name: 'the console lists pages of hidden parts',
    file: 'core/host/console/served-pages.ts',
    find: '...mounted.hidden.filter((id) => !offered.includes(id)),',
    replace: '',
    tests: ['core/host/console/served-pages.test.ts'],
    only: 'hidden part',
  },
]
