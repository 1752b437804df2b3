/** The words of the feedback of a run, in English. */
export const runFeedbackText = {
  give: 'Your feedback',
  kind: 'Feedback',
  kinds: { good: 'Good', bad: 'Bad', score: 'Score' },
  name: 'What is scored',
  nameHint: 'Letters, digits, dots, underscores and hyphens, such as helpful.',
  score: 'Number',
  scoreWrong: 'Enter a number from -1,000,000,000,000 to 1,000,000,000,000.',
  comment: 'Comment',
  commentHint: 'Optional; kept with the run.',
  send: 'Send',
  sent: 'Thank you: it is kept with the run.',
  all: 'What was said of this run',
  none: 'No feedback yet',
  good: 'good',
  bad: 'bad',
} as const
