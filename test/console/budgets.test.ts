import assert from 'node:assert/strict'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { firstLoad, laterLoads } from '../../scripts/console/first-load.ts'
import { PARTS_PROGRAM, packConsole } from '../../scripts/console/pack-console.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const KB = 1000
const built = packConsole(root)

// Bytes, not times: they are the same on each machine.
test('the first load has at most 150 KB of scripts and 20 KB of styles, and a page adds at most 20 KB', async () => {
  const packed = await built
  const { scripts, styles, files } = firstLoad(packed)
  assert.ok(scripts > 50 * KB && scripts <= 150 * KB, `${scripts} bytes of scripts`)
  // A browser opens six connections: each further file waits for one of them.
  assert.ok(files > 1 && files <= 8, `${files} scripts`)
  assert.ok(styles > KB && styles <= 20 * KB, `${styles} bytes of styles`)
  const later = laterLoads(packed)
  assert.ok(later.has('plugins/feedback/console/feedback-page.tsx'), [...later.keys()].join(' '))
  assert.deepEqual(
    [...later].filter(([, size]) => size > 20 * KB),
    [],
  )
})

test('the editor is at most 110 KB, what compares documents 15 KB more, and the reader of YAML 40 KB', async () => {
  const { files, metafile } = await packConsole(root, PARTS_PROGRAM)
  const sizeWith = (source: RegExp): number => {
    const [path = ''] =
      Object.entries(metafile.outputs).find(([, { inputs }]) => Object.keys(inputs).some((one) => source.test(one))) ??
      []
    const file = files.find((one) => path.endsWith(one.path))
    return Buffer.from(file?.gzip ?? '', 'base64').length
  }
  const sizes = [/@codemirror\/view/, /@codemirror\/merge/, /node_modules\/yaml\//].map(sizeWith)
  for (const [index, most] of [110, 15, 40].entries())
    assert.ok((sizes[index] ?? 0) > KB && (sizes[index] ?? 0) <= most * KB, `${sizes.join(', ')} bytes`)
})

test('the production build has no page of parts', async () => {
  const { metafile } = await built
  assert.deepEqual(
    Object.keys(metafile.inputs).filter((path) => /\.states\.tsx?$|^ui\/states\//.test(path)),
    [],
  )
})
