/** The words of the views of a run, in English. */
export const runText = {
  view: 'View',
  views: { waterfall: 'Waterfall', flame: 'Flame', messages: 'Messages', events: 'Events' },
  columns: { seq: '#', time: 'Time', event: 'Event', agent: 'Agent', data: 'Data' },
  noMessages: 'No message has been kept of this run.',
  moreMessages: (count: number) => `Show more of ${count.toLocaleString('en')}`,
  showStep: 'Show the step',
  childRun: 'Open its run',
  noContent: 'The messages of this call were not kept. Agents with capture: full send them.',
  withheld: 'Its content is kept, and you may not get traces/content.',
  contentCut: 'Parts of the content were left out to bound its size.',
  noEvents: 'No events',
  noEventsDetail: 'The journal of the run is empty.',
} as const
