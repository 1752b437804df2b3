import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { Parser } from '@asyncapi/parser'

// Severity 0 is an error, 1 a warning; 2 and 3 are hints.
const { document, diagnostics } = await new Parser().parse(readFileSync(process.argv[2] ?? '', 'utf8'))
const serious = diagnostics.filter(({ severity }) => severity <= 1)
assert.ok(document !== undefined && serious.length === 0, JSON.stringify(serious, undefined, 2))
