#!/usr/bin/env node
// `meshctl oncall pages [NAMESPACE]`: meshctl runs this program, and it asks the API by `meshctl api`.
import { spawnSync } from 'node:child_process'

const [words, namespace = 'default'] = process.argv.slice(2)
if (words !== 'pages' || !/^[a-z0-9-]{1,63}$/.test(namespace)) {
  process.stderr.write('usage: meshctl oncall pages [NAMESPACE]\n')
  process.exit(1)
}
const { status, stdout } = spawnSync('meshctl', ['api', `x/oncall/pages/${namespace}`], {
  encoding: 'utf8',
  stdio: ['ignore', 'pipe', 'inherit'],
})
if (status !== 0) process.exit(status ?? 1)
for (const { run, rota, person } of JSON.parse(stdout).items) process.stdout.write(`${run} ${rota} ${person}\n`)
