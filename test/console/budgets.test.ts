import assert from 'node:assert/strict'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { firstLoad, laterLoads } from '../../scripts/console/first-load.ts'
import { packConsole } from '../../scripts/console/pack-console.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const KB = 1000

// Bytes, not times: they are the same on each machine.
test('the first load has at most 150 KB of scripts and 20 KB of styles, and a page adds at most 20 KB', async () => {
  const packed = await packConsole(root)
  const { scripts, styles } = firstLoad(packed)
  assert.ok(scripts > 50 * KB && scripts <= 150 * KB, `${scripts} bytes of scripts`)
  assert.ok(styles > KB && styles <= 20 * KB, `${styles} bytes of styles`)
  const later = laterLoads(packed)
  assert.ok(later.has('plugins/feedback/console/feedback-page.tsx'), [...later.keys()].join(' '))
  assert.deepEqual(
    [...later].filter(([, size]) => size > 20 * KB),
    [],
  )
})
