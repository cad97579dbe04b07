/** A mail to one person. */
export interface Mail {
  /** The same for each attempt to send it, so that a mail server can tell that it has it already. */
  id: string
  /** `address`, or `Name <address>`. */
  from: string
  /** One address, in the form that was checked when it was taken. */
  to: string
  /** The language of its texts, as BCP 47 has it. */
  language: string
  subject: string
  text: string
  html: string
}

export interface Mailer {
  /** Resolves once a server has taken the mail over. Throws an error that says why it has not, without addresses or
   *  texts, as it ends up in logs. */
  send(mail: Mail): Promise<void>
  /** Lets go of connections. */
  close(): void
}
