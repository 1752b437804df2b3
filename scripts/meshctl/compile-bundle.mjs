// Writes the compiled code of a bundle: node compile-bundle.mjs BUNDLE AGENT-FILE OUTPUT. The code is taken after commands ran, so that it has the
// functions that they called; before, V8 has compiled none of them.
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { Script } from 'node:vm'

const [bundle, agentFile, output] = process.argv.slice(2)
const script = new Script(readFileSync(bundle, 'latin1'), { filename: 'meshctl.js' })
const module = { exports: {} }
script.runInThisContext()(createRequire(import.meta.url), module, bundle, dirname(bundle))
for (const args of [['expand', agentFile], ['expand', '--help'], ['--help']]) {
  const code = await module.exports.main(args)
  if (code !== 0) throw new Error(`${args.join(' ')} exits with ${code}`)
}
writeFileSync(output, script.createCachedData())
