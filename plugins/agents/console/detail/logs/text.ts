/** The words of the logs of an agent, in English. */
export const logsText = {
  label: 'Log of the agent',
  container: 'Container',
  containers: { agent: 'Agent', launcher: 'Launcher' },
  previous: 'Before the last restart',
  now: 'Now',
  which: 'Which run of the container',
  empty: 'No lines yet',
  emptyDetail: 'The newest running pod of the agent has written nothing. New lines appear here.',
  cut: 'The stream was cut.',
  again: 'Follow again',
  newest: (lines: number) => `The newest ${lines.toLocaleString('en')} lines`,
} as const
