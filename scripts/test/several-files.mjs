// Runs several test files in this process, sequentially, each as a suite with its own hooks. Plain JavaScript, since every group loads it.
import test, { describe } from 'node:test'
import { pathToFileURL } from 'node:url'

for (const file of process.argv.slice(2))
  // Tests have the time limit of the suite: their own would end a whole file. The runner ends a process that hangs.
  describe(file, { timeout: Infinity }, async () => {
    try {
      await import(pathToFileURL(file).href)
    } catch (error) {
      test('the file can be loaded', () => {
        throw error
      })
    }
  })
