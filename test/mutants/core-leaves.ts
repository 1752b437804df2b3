import type { Mutant } from './mutant.ts'

/** Defects in core/log, core/signing, core/sse and core/telemetry. */
export const mutants: readonly Mutant[] = [
  {
    name: 'keys that name a secret are logged',
    file: 'core/log/redact.ts',
    find: 'secretKey.test(key) ? REDACTED : redactKeys(item, depth + 1)',
    replace: 'redactKeys(item, depth + 1)',
    tests: ['core/log/log.test.ts'],
  },
  {
    name: 'a registered secret is logged',
    file: 'core/log/secrets.ts',
    find: 'if (clean.includes(value)) clean = clean.replaceAll(value, REDACTED)',
    replace: 'if (clean === value) clean = REDACTED',
    tests: ['core/log/log.test.ts'],
  },
  {
    name: 'the signature of a token is not verified',
    file: 'core/signing/jws.ts',
    find: 'if (!verify(null, Buffer.from(`${header}.${payload}`), key, decode(signature)))',
    replace: 'if (decode(signature).length !== 64)',
    tests: ['core/signing/signing.test.ts'],
    only: 'E1',
  },
  {
    name: 'a token of another purpose is accepted',
    file: 'core/signing/jws.ts',
    find: "  if (header.typ !== typ) throw new JwsRefused('typ')\n",
    replace: '',
    tests: ['core/signing/signing.test.ts'],
    only: 'E1',
  },
  {
    name: 'a token never expires',
    file: 'core/signing/jws.ts',
    find: "  if (claims.exp <= now) throw new JwsRefused('expired')\n",
    replace: '',
    tests: ['core/signing/signing.test.ts'],
    only: 'E1',
  },
  {
    name: 'an event above the limit is not refused',
    file: 'core/sse/parser.ts',
    find: 'if (isTerminated(parser)) throw tooLarge(limit)',
    replace: '',
    tests: ['core/sse/sse.test.ts'],
    only: 'above the limit',
  },
  {
    name: 'a character split between two chunks is lost',
    file: 'core/sse/parser.ts',
    find: 'decoder.write(chunk)',
    replace: "chunk.toString('utf8') + decoder.end()",
    tests: ['core/sse/sse.test.ts'],
    only: 'one reused buffer',
  },
  {
    name: 'a process exports no default metrics',
    file: 'core/telemetry/process-metrics.ts',
    find: '  collectDefaultMetrics({ register })\n',
    replace: '',
    tests: ['core/telemetry/process-metrics.test.ts'],
  },
]
