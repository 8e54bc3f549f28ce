// Package slack sends alerts to Slack, through a bot's token or an incoming
// webhook.
package slack
