"""Notifications: delivers public events and due dates to the targets of subscriptions."""
