import assert from 'node:assert/strict'
import test from 'node:test'
import { Type } from 'typebox'
import { coreCommands } from '../commands/core-commands.ts'
import { defineCommand } from '#core/plugin/command.ts'
import type { Command } from '#core/plugin/command.ts'
import { definePlugin } from '#core/plugin/plugin.ts'
import { plugins } from '#plugins/index.ts'
import { commandsOf, coreWords, refuseSameWords } from './plugin-commands.ts'

const command = (words: string, more: object = {}): Command =>
  defineCommand({ words, summary: 'does something', load: async () => async () => 0, ...more })

const withCommands = (name: string, ...commands: Command[]) =>
  definePlugin({ contract: 1, name, settings: Type.Object({}), create: () => ({}), commands })

test('two commands of one name, or of which one begins the other, name both plugins', () => {
  for (const [first, second] of [
    ['acme sync', 'acme sync'],
    ['acme', 'acme sync'],
    ['acme sync all', 'acme sync'],
  ] as const)
    assert.throws(
      () => commandsOf([withCommands('a', command(first)), withCommands('b', command(second))], new Set()),
      { name: 'BootError', message: /of plugin (?:a|b) conflicts with ".*" of plugin (?:a|b)$/ },
    )
  commandsOf([withCommands('a', command('acme sync'), command('acme synchronize'))], new Set())
})

test('a third party takes no word of the platform, and its commands are complete', () => {
  for (const [given, message] of [
    [command('worker drain'), /^plugin x: its command "worker drain" begins with worker, a command or role/],
    [command('all'), /begins with all/],
    [command('keys list'), /begins with keys/],
    [command('Acme'), /must be one to four words/],
    [command('acme  sync'), /must be one to four words/],
    [command('acme\0'), /must be one to four words/],
    [command(''), /must be one to four words/],
    [command('a b c d e'), /must be one to four words/],
    [{ summary: 'x' }, /its command undefined must be/],
    [null, /its command undefined must be/],
    [command('acme', { summary: undefined }), /has no summary/],
    [command('acme', { load: 1 }), /has no load/],
    [command('acme', { options: { A: { help: 'x' } } }), /has an option "A", which must be/],
    [command('acme', { options: { help: { help: 'x' } } }), /has an option "help"/],
    [command('acme', { options: { a: {} } }), /has an option a without help/],
  ] as const)
    assert.throws(() => commandsOf([withCommands('x', given as Command)], new Set(['x'])), {
      name: 'BootError',
      message,
    })
})

test('the words of core are reserved, and no built-in command conflicts with them', () => {
  for (const { words } of coreCommands)
    assert.ok(
      coreWords.some((word) => words.split(' ')[0] === word),
      words,
    )
  refuseSameWords([...coreCommands.map((one) => ({ command: one })), ...commandsOf(plugins, new Set())])
})
