import { defineOfflineCommand } from '#cli/contract/command.ts'

const shells = ['bash', 'zsh', 'fish'] as const

/** `meshctl completion`. */
export const completion = defineOfflineCommand({
  words: 'completion',
  summary: 'print the script that completes command lines in a shell',
  examples: [
    [
      'completion bash > ~/.local/share/bash-completion/completions/meshctl',
      'for bash with bash-completion; else source it in ~/.bashrc',
    ],
    ['completion zsh > "${fpath[1]}/_meshctl"', 'for zsh after compinit'],
    ['completion fish > ~/.config/fish/completions/meshctl.fish', 'for fish'],
  ],
  options: { shell: { positional: true, required: true, oneOf: shells, value: 'SHELL', help: 'bash, zsh or fish' } },
  load: async () => (await import('./print-script.ts')).printScript,
})
