import assert from 'node:assert/strict'
import test from 'node:test'
import { defineApiCommand, defineOfflineCommand } from '#cli/contract/command.ts'
import { defineCommand } from '#core/plugin/command.ts'
import { toCommandList } from './cli-commands.ts'

const load = async () => async () => 0
const command = (words: string) => defineApiCommand({ words, summary: "what's listed", load })
const room = (plugin: string, ...words: readonly string[]) => ({
  path: `plugins/${plugin}/cli/commands.ts`,
  exports: Object.fromEntries(words.map((one, index) => [`command${index}`, command(one)])),
})

test('a command with the name of another ends the generation with plugin, file and cause', () => {
  const slot = { name: 'audit', commands: [defineCommand({ words: 'audit verify', summary: 'x', load })] } as const
  const offline = {
    path: 'plugins/a/cli/commands.ts',
    exports: { one: defineOfflineCommand({ words: 'a b', summary: 'x', load }) },
  }
  for (const [rooms, message] of [
    [
      [room('a', 'x list'), room('b', 'x list')],
      'the command "x list" of plugin b (plugins/b/cli/commands.ts) conflicts with "x list" of plugin a (plugins/a/cli/commands.ts)',
    ],
    [
      [room('a', 'x'), room('b', 'x list')],
      'the command "x list" of plugin b (plugins/b/cli/commands.ts) conflicts with "x" of plugin a (plugins/a/cli/commands.ts)',
    ],
    [
      [room('a', 'audit verify')],
      'the command "audit verify" of plugin audit conflicts with "audit verify" of plugin a (plugins/a/cli/commands.ts)',
    ],
    [
      [room('a', 'context list')],
      'plugin a (plugins/a/cli/commands.ts): its command "context list" begins with context, a command of meshctl itself',
    ],
    [
      [room('a', 'worker list')],
      'plugin a (plugins/a/cli/commands.ts): its command "worker list" begins with worker, a command or role of mesh',
    ],
    [
      [offline],
      'plugin a (plugins/a/cli/commands.ts): its command "a b" calls no API, so a must be in coreWords of core/host/load/plugin-commands.ts',
    ],
    [
      [room('a', 'X')],
      'plugin a (plugins/a/cli/commands.ts): its command "X" must be one to four words of lowercase letters, digits and -',
    ],
  ] as const)
    assert.throws(() => toCommandList(rooms, [slot]), { message })
})

test('the list has words and summary of each command, in their order, and imports its file only when it is called', () => {
  const list = toCommandList([room('a', 'x list', 'b get')], [])
  assert.deepEqual(list.match(/words: '.*'|\/a\/cli\/commands\.ts'\)\)\.\w+/g), [
    "words: 'b get'",
    "/a/cli/commands.ts')).command1",
    "words: 'x list'",
    "/a/cli/commands.ts')).command0",
  ])
  assert.match(list, /summary: "what's listed",/)
})
