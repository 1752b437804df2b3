/** The words of the pages of feedback, in English. */
export const feedbackText = {
  title: 'Feedback',
  scores: 'Scores',
  search: 'Agent',
  note: 'Newest first',
  empty: 'No feedback yet',
  emptyDetail: 'Scores and comments that people and programs give to runs are listed here.',
  columns: {
    namespace: 'Namespace',
    agent: 'Agent',
    name: 'Name',
    value: 'Value',
    by: 'By',
    time: 'Time',
    comment: 'Comment',
  },
} as const
