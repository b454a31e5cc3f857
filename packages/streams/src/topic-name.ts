/** Names that Kafka allows for topics; a file stream uses them as directory names. */
const topicPattern = /^[\w.-]{1,249}$/;

/**
 * Reports whether a text can be a topic name: up to 249 letters, digits, dots, underscores and
 * hyphens, but not `.` or `..`.
 */
export function isTopicName(text: string): boolean {
  return topicPattern.test(text) && text !== '.' && text !== '..';
}
