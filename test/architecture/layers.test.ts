import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { answerNames, duplicateNames } from './exported-names.ts'
import { coreLayers, importCycles, layerViolations } from './layers.ts'
import { readSources, toSource } from './sources.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const sources = readSources(root)
// Separate, so that this file does not contain such an import.
const dynamic = 'import'

test('a folder of core imports only folders before it in the list', () => {
  assert.deepEqual(layerViolations(sources), [])
})

test('every layer of core exists', () => {
  assert.deepEqual(
    coreLayers.filter((folder) => !existsSync(join(root, folder))),
    [],
  )
})

test('no file imports itself through others, types included', () => {
  assert.deepEqual(importCycles(sources), [])
})

test('an exported name belongs to one file', () => {
  const made = [
    toSource('core/a.ts', 'export interface Change {}\nexport const routes = 1'),
    toSource('plugins/a/b.ts', 'export type Change = 1\nexport function routes() {}'),
    toSource('plugins/a/b.test.ts', 'export type Change = 1'),
    toSource('schemas/api/a.ts', 'export const Change = 1'),
  ]
  assert.deepEqual(duplicateNames(made), ['Change: core/a.ts, plugins/a/b.ts'])
  assert.deepEqual(duplicateNames(sources), [])
})

test('an exported name says response, not answer, except for interrupts', () => {
  const made = [
    toSource('core/a.ts', 'export interface CutAnswer {}\nexport function answerAll() {}\nconst answer = 1'),
    toSource('plugins/runs/interrupts/a.ts', 'export interface OpenAnswer {}'),
    toSource('core/a.test.ts', 'export const answers = 1'),
  ]
  assert.deepEqual(answerNames(made), ['core/a.ts: CutAnswer', 'core/a.ts: answerAll'])
  assert.deepEqual(answerNames(sources), [])
})

test('an upward import of a value or a type is a violation', () => {
  const made = [
    toSource('core/kube/a.ts', "import type { B } from '../validation/b.ts'\nimport { c } from '#core/log/c.ts'"),
    toSource('core/http/input/a.ts', `const b = await ${dynamic}('../server.ts')`),
    toSource('core/http/a.test.ts', "import { b } from '#core/host/process/host.ts'"),
    toSource('plugins/a/index.ts', "import { b } from '#core/host/process/host.ts'"),
  ]
  assert.deepEqual(layerViolations(made), [
    'core/kube/a.ts imports core/validation/b.ts',
    'core/http/input/a.ts imports core/http/server.ts',
  ])
})

test('a file of core outside the layers is a violation', () => {
  const made = ['core/a.ts', 'core/host/a.ts', 'core/other/a.ts', 'core/http/migrations/0001-a.ts', 'core/kube/a.ts']
  assert.deepEqual(
    layerViolations(made.map((path) => toSource(path, ''))),
    ['core/a.ts', 'core/host/a.ts', 'core/other/a.ts'].map((path) => `${path} is in no layer of core`),
  )
})

test('a cycle is found however long it is, through types and dynamic imports', () => {
  const made = [
    toSource('core/a.ts', "import type { b } from './b.ts'"),
    toSource('core/b.ts', "export * from './c.ts'"),
    toSource('core/c.ts', `const a = await ${dynamic}('./a.ts')\nimport { d } from './d.ts'`),
    toSource('core/d.ts', "import { e } from './e.ts'"),
    toSource('core/e.ts', "import { e } from './e.ts'"),
  ]
  assert.deepEqual(importCycles(made), ['core/e.ts', 'core/a.ts <-> core/b.ts <-> core/c.ts'])
})
