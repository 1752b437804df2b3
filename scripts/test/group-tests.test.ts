import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import test from 'node:test'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { groupTests } from './group-tests.ts'

test('files of a folder share processes in twenties, those with browsers in tens, and what belongs to the process keeps its own', (t) => {
  const { path: root, remove } = tempFolder('groups')
  t.after(remove)
  const write = (path: string, text = "test('one', () => {})"): string => {
    const file = join(root, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
    return file
  }
  const light = Array.from({ length: 22 }, (_, n) => write(`core/a${n}.test.ts`))
  const looks = Array.from({ length: 12 }, (_, n) => write(`test/console/a${n}.test.ts`))
  const other = write('plugins/b.test.ts')
  const all = ['a', 'b'].map((name) => write(`test/${name}.test.ts`))
  const flows = ['a', 'b'].map((name) => write(`test/flows/${name}.test.ts`, 'await sharedEmbedded()'))
  const slow = write('plugins/runs/worker/worker.test.ts')
  const alone = [
    write('test/contract/c.test.ts'),
    write('test/listeners/c.test.ts'),
    write('test/flows/c.test.ts', 'await startPlatform(t, form)'),
    ...[
      "process.env.HOME = '/'",
      'delete process.env.HOME',
      "process.on('exit', stop)",
      "t.mock.timers.enable({ apis: ['setTimeout'] })",
      'await startAll(t, data)',
      'process.memoryUsage().rss',
      'monitorEventLoopDelay()',
      'new Worker(url) // node:worker_threads',
    ].map((text, n) => write(`core/d${n}.test.ts`, text)),
  ]
  const groups = groupTests(
    [...flows, ...light.slice(0, 6), slow, ...alone, other, ...light.slice(6), ...looks, ...all],
    root,
  )
  const shared = groups.map(({ files }) => files).filter(({ length }) => length > 1)
  assert.deepEqual(shared, [flows, light.slice(0, 20), light.slice(20), looks.slice(0, 10), looks.slice(10), all])
  const lengths = groups.map(({ files }) => files.length)
  assert.deepEqual(
    lengths,
    [1, 2, 20, 2, 10, 2, 2, ...Array.from({ length: alone.length + 1 }, () => 1)],
    'the longest first',
  )
  assert.deepEqual(
    groups.flatMap(({ files }) => (files.length === 1 ? files : [])),
    [slow, ...alone, other],
  )
})
