/** A route that parses a body, with its credentials. */
export interface Door {
  readonly method: string
  readonly path: string
  /** Lines such as `Authorization: Bearer x`. */
  readonly headers: readonly string[]
}

/** One request of the corpus. */
export interface HostileRequest {
  readonly name: string
  /** Latin-1: each character is a byte. */
  readonly bytes: string
  /** Never complete: the server may wait for the rest until its own limit. The client closes after a moment. */
  readonly unfinished?: boolean
}

const KIB = 1024

/** Every hostile request to a listener (F1): targets, methods, headers, framing, and bodies of each route. */
export function corpusOf(host: string, doors: readonly Door[]): readonly HostileRequest[] {
  const [door] = doors
  const path = door?.path ?? '/'
  return [
    ...targets(path).map(([name, target]) => ({ name: `target ${name}`, bytes: head('GET', target, host) })),
    ...methods(path, host),
    ...echoedHeaders(path, host, door?.headers ?? []),
    ...oddHeads(path, host),
    ...doors.flatMap((one) => framing(host, one)),
    ...doors.flatMap((one) => bodies.map(([name, body]) => withBody(`${one.path}: ${name}`, host, one, body))),
    ...pipelined(path, host),
  ]
}

function head(method: string, target: string, host: string, lines: readonly string[] = []): string {
  return `${[`${method} ${target} HTTP/1.1`, `Host: ${host}`, ...lines].join('\r\n')}\r\n\r\n`
}

function targets(path: string): readonly (readonly [name: string, target: string])[] {
  const plain = [
    '//',
    '///',
    '//[',
    '*',
    'http://',
    'http://[',
    'http://evil.example/',
    'evil.example:443',
    '/../',
    '/..',
  ]
  const odd = [
    '/%',
    '/%zz',
    '/%00',
    '/%ff',
    '/%c0%af',
    '/%2e%2e%2f',
    '/?%',
    '/?%zz=%zz',
    '/;',
    '/#x',
    '/\\',
    '/@',
    '/:',
    '/?a=1&a=1',
  ]
  const bytes = ['/\x80\xff', '/?\xff=\xfe', '/\xe4\xb8\xad', '/a\x7f', '/a\x01']
  return [
    ...[...plain, ...odd, ...bytes].map((target) => [JSON.stringify(target), target] as const),
    ...[...odd, ...bytes].map((target) => [JSON.stringify(`${path}${target}`), `${path}${target}`] as const),
    ['of 64 KiB', `/${'a'.repeat(64 * KIB)}`],
    ['with a query of 12 KiB', `${path}?${'a=%zz&'.repeat(2 * KIB)}`],
    ['of 5,000 segments', '/a'.repeat(5_000)],
  ]
}

function methods(path: string, host: string): readonly HostileRequest[] {
  const requests = [
    ['OPTIONS', '*'],
    ['OPTIONS', path],
    ['HEAD', path],
    ['TRACE', path],
    ['PROPFIND', path],
    ['CONNECT', 'evil.example:443'],
    ['CONNECT', '//'],
    ['get', path],
    ['G\xe9T', path],
    ['PRI', '*'],
  ] as const
  return [
    ...requests.map(([method, target]) => ({ name: `${method} ${target}`, bytes: head(method, target, host) })),
    { name: 'upgrade to websocket', bytes: head('GET', path, host, ['Connection: Upgrade', 'Upgrade: websocket']) },
    {
      name: 'upgrade to h2c',
      bytes: head('GET', path, host, ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAA']),
    },
    { name: 'preface of HTTP/2', bytes: 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n' },
  ]
}

// Parts of a head that a listener echoes, logs, traces or parses.
const echoed = [
  'x-request-id',
  'traceparent',
  'tracestate',
  'accept',
  'accept-encoding',
  'origin',
  'user-agent',
  'content-type',
  'authorization',
  'if-match',
  'idempotency-key',
  'last-event-id',
  'x-conversation-id',
  'x-mesh-run-id',
  'x-mesh-namespace',
  'x-forwarded-for',
  'x-forwarded-host',
  'impersonate-user',
  'forwarded',
  'cookie',
  'expect',
]
const values = [
  ['UTF-8', '\xe4\xb8\xad\xf0\x9f\x98\x80'],
  ['bytes that are no UTF-8', '\xff\xfe\x80'],
  ['nothing', ''],
  ['8 KiB', 'x'.repeat(8 * KIB)],
  ['separators', ',;=\\"\'{}[]<>%00%0d%0a'],
] as const

function echoedHeaders(path: string, host: string, credentials: readonly string[]): readonly HostileRequest[] {
  const single = echoed.flatMap((name) =>
    values.map(([what, value]) => ({
      name: `${name}: ${what}`,
      bytes: head('GET', path, host, [
        ...credentials.filter((line) => !line.toLowerCase().startsWith(name)),
        `${name}: ${value}`,
      ]),
    })),
  )
  const twice = [...echoed, 'host', 'content-length', 'transfer-encoding'].map((name) => ({
    name: `${name} twice`,
    bytes: head('GET', path, host, [...credentials, `${name}: 1`, `${name}: 2`]),
  }))
  const hosts = ['', ' ', '\xff\xfe', 'evil.example', '[', '[::1', 'a:b:c', 'localhost:99999', 'x'.repeat(8 * KIB)].map(
    (value) => ({
      name: `host: ${JSON.stringify(value.slice(0, 20))}`,
      bytes: head('GET', path, value),
    }),
  )
  return [...single, ...twice, ...hosts]
}

function oddHeads(path: string, host: string): readonly HostileRequest[] {
  const line = `GET ${path} HTTP/1.1\r\n`
  return [
    { name: 'no Host', bytes: `${line}\r\n` },
    { name: 'HTTP/1.0 without Host', bytes: `GET ${path} HTTP/1.0\r\n\r\n` },
    { name: 'HTTP/9.9', bytes: `GET ${path} HTTP/9.9\r\nHost: ${host}\r\n\r\n` },
    { name: 'no HTTP at all', bytes: '\x00\x01\x02\x03\r\n\r\n' },
    {
      name: 'TLS to a plain port, or nonsense in TLS',
      bytes: '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03' + '\x00'.repeat(64),
      unfinished: true,
    },
    { name: 'head that is not finished', bytes: `${line}Host: ${host}\r\nX-Slow: `, unfinished: true },
    { name: 'first line that is not finished', bytes: 'GET /', unfinished: true },
    { name: 'nothing', bytes: '', unfinished: true },
    { name: 'header without a colon', bytes: `${line}Host: ${host}\r\nbroken\r\n\r\n` },
    { name: 'header with NUL', bytes: `${line}Host: ${host}\r\nX: a\x00b\r\n\r\n` },
    { name: 'folded header', bytes: `${line}Host: ${host}\r\nX: a\r\n b\r\n\r\n` },
    { name: 'bare line feeds', bytes: `GET ${path} HTTP/1.1\nHost: ${host}\n\n` },
    {
      name: '2,500 headers',
      bytes: head(
        'GET',
        path,
        host,
        Array.from({ length: 2_500 }, (_, n) => `x${n}: y`),
      ),
    },
    { name: 'header of 128 KiB', bytes: head('GET', path, host, [`x: ${'y'.repeat(128 * KIB)}`]) },
    { name: '__proto__ as a header', bytes: head('GET', path, host, ['__proto__: x', 'constructor: y']) },
  ]
}

function framing(host: string, { method, path, headers }: Door): readonly HostileRequest[] {
  const start = (lines: readonly string[], rest: string): string =>
    `${head(method, path, host, [...headers, 'Content-Type: application/json', ...lines])}${rest}`
  const chunked = 'Transfer-Encoding: chunked'
  return [
    { name: `${path}: negative length`, bytes: start(['Content-Length: -1'], '{}') },
    { name: `${path}: length that is no number`, bytes: start(['Content-Length: 1e9'], '{}') },
    { name: `${path}: length of 2^64`, bytes: start(['Content-Length: 18446744073709551616'], '{}') },
    { name: `${path}: length and chunks`, bytes: start(['Content-Length: 2', chunked], '2\r\n{}\r\n0\r\n\r\n') },
    { name: `${path}: chunk size that is no number`, bytes: start([chunked], 'zz\r\n{}\r\n') },
    { name: `${path}: chunk of 2^63`, bytes: start([chunked], '8000000000000000\r\n{}'), unfinished: true },
    { name: `${path}: broken trailer`, bytes: start([chunked], '2\r\n{}\r\n0\r\nbroken\r\n\r\n') },
    {
      name: `${path}: unknown transfer encoding`,
      bytes: start(['Transfer-Encoding: gzip, chunked'], '2\r\n{}\r\n0\r\n\r\n'),
    },
    { name: `${path}: zipped nonsense`, bytes: start(['Content-Encoding: gzip', 'Content-Length: 4'], '\x1f\x8bxx') },
    { name: `${path}: unknown expectation`, bytes: start(['Expect: tea', 'Content-Length: 2'], '{}') },
    { name: `${path}: more than the length`, bytes: start(['Content-Length: 2'], '{}{}garbage') },
    { name: `${path}: body that is not finished`, bytes: start(['Content-Length: 100'], '{"a"'), unfinished: true },
    { name: `${path}: chunk that is not finished`, bytes: start([chunked], '10\r\n{"a'), unfinished: true },
    { name: `${path}: length of 10 GB`, bytes: start(['Content-Length: 10000000000'], '{"a"'), unfinished: true },
    { name: `${path}: no media type`, bytes: `${head(method, path, host, [...headers, 'Content-Length: 2'])}{}` },
    {
      name: `${path}: media type that is none`,
      bytes: `${head(method, path, host, [...headers, 'Content-Type: \xff;/', 'Content-Length: 2'])}{}`,
    },
  ]
}

const deep = 20_000
const bodies: readonly (readonly [name: string, body: string])[] = [
  ['lists 20,000 deep', `${'['.repeat(deep)}${']'.repeat(deep)}`],
  ['objects 20,000 deep', `${'{"a":'.repeat(deep)}1${'}'.repeat(deep)}`],
  ['field 20,000 deep', `{"input":${'['.repeat(deep)}${']'.repeat(deep)}}`],
  ['huge exponent', '{"input":1e999,"timeout":-1e999,"code":1e999}'],
  ['number of 10,000 digits', `{"input":${'9'.repeat(10_000)}}`],
  ['NUL', String.raw`{"input":"\u0000","code":"\u0000","metadata":{"name":"\u0000"}}`],
  ['raw NUL', '{"input":"\x00"}'],
  ['lone surrogates', String.raw`{"input":"\ud800","code":"\udfff\ud800","metadata":{"name":"\ud800"}}`],
  ['bytes that are no UTF-8', '{"input":"\xff\xfe\xc0\xaf"}'],
  ['overlong UTF-8', '{"input":"\xc0\x80"}'],
  ['byte order mark', '\xef\xbb\xbf{}'],
  ['text of 1 MiB', `{"input":"${'x'.repeat(KIB * KIB)}"}`],
  ['brackets of 1 MiB', '['.repeat(KIB * KIB)],
  ['20,000 keys', `{${Array.from({ length: 20_000 }, (_, n) => `"k${n}":1`).join(',')}}`],
  ['equal keys', '{"input":1,"input":2}'],
  ['__proto__', '{"__proto__":{"toString":1},"constructor":{"prototype":{}}}'],
  [
    'methods as values',
    '{"code":{"toString":1},"input":{"toJSON":1},"metadata":{"name":{"valueOf":1}},"model":{"split":1},"agent":{"length":-1}}',
  ],
  ['null', 'null'],
  ['text', '""'],
  ['list', '[]'],
  ['empty object', '{}'],
  ['nothing', ''],
  ['half a value', '{"a":'],
]

function withBody(name: string, host: string, { method, path, headers }: Door, body: string): HostileRequest {
  const lines = [...headers, 'Content-Type: application/json', `Content-Length: ${body.length}`]
  return { name, bytes: `${head(method, path, host, lines)}${body}` }
}

function pipelined(path: string, host: string): readonly HostileRequest[] {
  const one = head('GET', path, host)
  return [
    { name: 'three requests at once', bytes: one.repeat(3) },
    { name: 'a request, then garbage', bytes: `${one}\x00\x01garbage\r\n\r\n` },
    { name: 'a request, then one without Host', bytes: `${one}GET ${path} HTTP/1.1\r\n\r\n` },
    { name: 'a request, then half of one', bytes: `${one}GET ${path} HT` },
    { name: '200 requests at once', bytes: one.repeat(200) },
  ]
}
